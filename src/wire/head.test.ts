import { expect, test } from "bun:test";
import { maxFields } from "./fields.ts";
import { checkIncompleteHead, HeadReader, startsWithHeadMethod } from "./head.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");
const read = (...lines: string[]) => new HeadReader().read(bytesOf(lines.join("\r\n")));
const host = "Host: shop.test";

test("parsing a head gives names in lower case and values without the blanks around them", () => {
  const { method, target, fields, isHttp10, length, fault } = read(
    "PATCH /v1/pets/1?x=%20 HTTP/1.1",
    host,
    'If-MATCH:\t "a b" \t',
    "Content-Length: 12",
    "X-Empty:",
    "Accept: a",
    "accept: b",
  );
  expect({ method, target, isHttp10, length, fault }).toEqual({
    method: "PATCH",
    target: "/v1/pets/1?x=%20",
    isHttp10: false,
    length: 12,
    fault: undefined,
  });
  const names = ["host", "if-match", "x-empty", "accept", "x-none"];
  expect(names.map((name) => fields.get(name))).toEqual(["shop.test", '"a b"', "", "a, b", null]);
});

test("the target of a head may be a whole URL, and bytes beyond ASCII are percent-encoded", () => {
  const targets = ["http://shop.test/v1/pets?id=1", "https://shop.test", "HTTP://x:1?a", "/v1/\xe9\xff?n=\xc3\xa9"];
  expect(targets.map((target) => read(`GET ${target} HTTP/1.1`, host).target)).toEqual([
    "/v1/pets?id=1",
    "/",
    "/?a",
    "/v1/%E9%FF?n=%C3%A9",
  ]);
});

test("a head with the same fields as the previous one reuses them", () => {
  const reader = new HeadReader();
  const lines = (target: string) => bytesOf(`GET ${target} HTTP/1.1\r\n${host}\r\nX-A: b`);
  expect(reader.read(lines("/1")).fields).toBe(reader.read(lines("/2")).fields);
  expect(reader.read(lines("/3")).target).toBe("/3");
  expect(reader.read(bytesOf(`GET / HTTP/1.1\r\n${host}\r\nX-A: c`)).fields.get("x-a")).toBe("c");
});

test("the length of the body is either that of Content-Length or chunked", () => {
  const lengthOf = (...lines: string[]) => read("POST / HTTP/1.1", host, ...lines).length;
  expect(lengthOf()).toBe(0);
  expect(lengthOf("Content-Length: 0")).toBe(0);
  expect(lengthOf("Content-Length: 9007199254740991")).toBe(9007199254740991);
  expect(lengthOf("Transfer-Encoding: Chunked")).toBe("chunked");
});

test("a request with a newer minor version is read as HTTP/1.1", () => {
  expect(read("GET / HTTP/1.9", host)).toEqual(read("GET / HTTP/1.1", host));
});

test("the target of OPTIONS may be an asterisk", () => {
  const { target, fault } = read("OPTIONS * HTTP/1.1", host);
  expect({ target, fault }).toEqual({ target: "*", fault: undefined });
});

test("a request of HTTP/1.0 needs no Host header", () => {
  const { isHttp10, fault } = read("GET / HTTP/1.0");
  expect({ isHttp10, fault }).toEqual({ isHttp10: true, fault: undefined });
});

const ok = "GET / HTTP/1.1";
const refusals = {
  request: "a request of HTTP/1.1",
  target: "a path",
  fragment: "without a fragment",
  host: "one Host header",
  field: "Name: value",
  character: "no control characters",
  count: `at most ${maxFields} header fields`,
  length: "one Content-Length header",
  framing: "either Content-Length or",
  coding: "the body with Content-Length or",
  tab: "without tabs",
};
test.each([
  ["an empty request line", refusals.request, [""]],
  ["no target", refusals.request, ["GET HTTP/1.1", host]],
  ["an empty target", refusals.target, ["GET  HTTP/1.1", host]],
  ["a space in the target", refusals.request, ["GET /a b HTTP/1.1", host]],
  ["a control character in the target", refusals.target, ["GET /a\x7f HTTP/1.1", host]],
  ["a tab instead of a space", refusals.request, ["GET\t/ HTTP/1.1", host]],
  ["an authority as the target", refusals.target, ["CONNECT shop.test:443 HTTP/1.1", host]],
  ["an asterisk as the target of another method", refusals.target, ["GET * HTTP/1.1", host]],
  ["a fragment", refusals.fragment, ["GET /a#b HTTP/1.1", host]],
  ["a malformed method", refusals.request, ["G(T / HTTP/1.1", host]],
  ["another protocol", refusals.request, ["GET / HTTPS/1.1", host]],
  ["a version in small letters", refusals.request, ["GET / http/1.1", host]],
  ["a version of two digits", refusals.request, ["GET / HTTP/1.10", host]],
  ["a version of one digit", refusals.request, ["GET / HTTP/2", host]],
  ["a URL without a host as the target", refusals.target, ["GET http:///a HTTP/1.1", host]],
  ["a URL with a malformed host as the target", refusals.target, ['GET http://x"y/ HTTP/1.1', host]],
  ["a URL with a user as the target", refusals.target, ["GET http://user@shop.test/ HTTP/1.1", host]],
  ["no host", refusals.host, [ok]],
  ["two hosts", refusals.host, [ok, host, "Host: other.test"]],
  ["a malformed host", refusals.host, [ok, "Host: a b"]],
  ["a field without a colon", refusals.field, [ok, host, "X-A"]],
  ["a field without a name", refusals.field, [ok, host, ": a"]],
  ["a space before the colon", refusals.field, [ok, host, "X-A : b"]],
  ["a field that continues on the next line", refusals.field, [ok, host, "X-A: b", " c"]],
  ["an empty line between fields", refusals.field, [ok, host, "", "X-A: b"]],
  ["a line feed alone", refusals.character, [ok, host, "X-A: b\nX-B: c"]],
  ["a carriage return alone", refusals.character, [ok, host, "X-A: b\rX-B: c"]],
  ["a null character in a value", refusals.character, [ok, host, "X-A: \0"]],
  ["too many fields", refusals.count, [ok, host, ...Array.from({ length: maxFields }, () => "X-A: b")]],
  ["two lengths", refusals.length, [ok, host, "Content-Length: 1", "Content-Length: 1"]],
  ["a length with a sign", refusals.length, [ok, host, "Content-Length: +1"]],
  ["an empty length", refusals.length, [ok, host, "Content-Length:"]],
  ["a length beyond the safe integers", refusals.length, [ok, host, "Content-Length: 9007199254740992"]],
  ["a length and chunks", refusals.framing, [ok, host, "Content-Length: 1", "Transfer-Encoding: chunked"]],
  ["chunks of HTTP/1.0", refusals.framing, ["GET / HTTP/1.0", "Transfer-Encoding: chunked"]],
  ["chunks twice", refusals.coding, [ok, host, "Transfer-Encoding: chunked, Chunked"]],
  ["chunks in another coding", refusals.coding, [ok, host, "Transfer-Encoding: chunked, gzip"]],
  ["an empty coding", refusals.coding, [ok, host, "Transfer-Encoding:"]],
  ["a malformed coding", refusals.coding, [ok, host, 'Transfer-Encoding: "chunked"']],
  ["a tab in the coding", refusals.tab, [ok, host, "Transfer-Encoding: chunked\t "]],
  ["a tab in the length", refusals.tab, [ok, host, "Content-Length:\t1"]],
])("a head is malformed with %s", (_, message, lines) => {
  expect(read(...lines).fault).toEqual({ kind: "malformed", message: expect.stringContaining(message) });
});

test.each(["gzip", "xchunked", "gzip, chunked", "chunked;a=b", 'br;q="1"', "identity"])(
  "the transfer coding %s is unsupported",
  (coding) => {
    const { fault } = read(ok, host, `Transfer-Encoding: ${coding}`);
    expect(fault).toEqual({ kind: "unsupportedCoding", message: expect.stringContaining(refusals.coding) });
  },
);

test.each(["HTTP/0.9", "HTTP/2.0", "HTTP/3.1"])("a request with the version %s is unsupported", (version) => {
  const { fault } = read(`PRI * ${version}`);
  expect(fault).toEqual({ kind: "unsupportedVersion", message: expect.stringContaining("HTTP/1.1") });
});

const maxBytes = 40;
const line = "GET / HTTP/1.1\r\n";

test.each([
  ["empty", ""],
  ["a part of a line", "GE"],
  ["a line", line],
  ["half of an empty line", "\r"],
  ["half of a line end", `${line}Host: x\r`],
  ["the maximum size, and a part of the empty line", `${line.padEnd(maxBytes, "x")}\r\n\r`],
])("an incomplete head is not rejected: %s", (_, text) => {
  expect(checkIncompleteHead(bytesOf(text), maxBytes)).toBeUndefined();
});

test.each([
  ["too many bytes", "fieldsTooLarge", "x".repeat(maxBytes + 4)],
  ["the start of a TLS handshake", "malformed", "\x16\x03\x01"],
  ["a space at its start", "malformed", " GET"],
  ["a control character at its start", "malformed", "\x7f"],
  ["a line feed alone", "malformed", "GET / HTTP/1.1\nHost"],
  ["a line feed alone after a line", "malformed", `${line}Host: x\n`],
  ["a line feed at its start", "malformed", "\n"],
])("an incomplete head is rejected with %s", (_, kind, text) => {
  expect(checkIncompleteHead(bytesOf(text), maxBytes)?.fault?.kind).toBe(kind as never);
});

test.each([
  ["checked before", "a\nb", 2, undefined],
  ["behind the checked bytes", "a\r\nb\n", 4, "malformed"],
  ["right behind a checked carriage return", "a\r\n", 2, undefined],
  ["right behind the checked bytes", "ab\n", 2, "malformed"],
])("each line feed of an incomplete head is checked once: %s", (_, text, checkedBytes, kind) => {
  expect(checkIncompleteHead(bytesOf(text), maxBytes, checkedBytes)?.fault?.kind).toBe(kind as never);
});

test("a request is recognised as HEAD by its method alone", () => {
  const [heads, others] = [
    ["HEAD / HTTP/1.1", "HEAD ", "HEAD\r\n", "HEAD\t/"],
    ["HEAD", "HEA", "HEADX / HTTP/1.1", "HEAD-A", "head /", "GET /HEAD "],
  ];
  expect(heads?.map((text) => startsWithHeadMethod(bytesOf(text), 0))).toEqual([true, true, true, true]);
  expect(others?.map((text) => startsWithHeadMethod(bytesOf(text), 0))).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(startsWithHeadMethod(bytesOf("\r\nHEAD /"), 2)).toBe(true);
});

test("the caches of host and field names are bounded", () => {
  const [heads, bytesEach] = [50_000, 2_000];
  const heapBytes = () => {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  for (let count = 0; count < heads; count++) {
    const text = `${count}.`.padEnd(bytesEach, "x");
    expect(read("GET / HTTP/1.1", `Host: ${text}`, `${text}: a`).fault).toBeUndefined();
  }
  expect(heapBytes() - before).toBeLessThan((heads * bytesEach) / 4);
});
