import { expect, test } from "bun:test";
import { maxFields } from "./fields.ts";
import { checkIncompleteHead, HeadReader, startsWithHeadMethod } from "./head.ts";

const encode = (text: string) => Buffer.from(text, "latin1");
const read = (...lines: string[]) => new HeadReader().read(encode(lines.join("\r\n")));
const hostLine = "Host: shop.test";

test("parsing a head gives names in lower case and values without the blanks around them", () => {
  const { method, target, fields, isHttp10, length, fault } = read(
    "PATCH /v1/pets/1?x=%20 HTTP/1.1",
    hostLine,
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
  expect(targets.map((target) => read(`GET ${target} HTTP/1.1`, hostLine).target)).toEqual([
    "/v1/pets?id=1",
    "/",
    "/?a",
    "/v1/%E9%FF?n=%C3%A9",
  ]);
});

test("a head with the same fields as the previous one reuses them", () => {
  const reader = new HeadReader();
  const lines = (target: string) => encode(`GET ${target} HTTP/1.1\r\n${hostLine}\r\nX-A: b`);
  expect(reader.read(lines("/1")).fields).toBe(reader.read(lines("/2")).fields);
  expect(reader.read(lines("/3")).target).toBe("/3");
  expect(reader.read(encode(`GET / HTTP/1.1\r\n${hostLine}\r\nX-A: c`)).fields.get("x-a")).toBe("c");
});

test("the length of the body is either that of Content-Length or chunked", () => {
  const readLength = (...lines: string[]) => read("POST / HTTP/1.1", hostLine, ...lines).length;
  expect(readLength()).toBe(0);
  expect(readLength("Content-Length: 0")).toBe(0);
  expect(readLength("Content-Length: 9007199254740991")).toBe(9007199254740991);
  expect(readLength("Transfer-Encoding: Chunked")).toBe("chunked");
});

test("a request with a newer minor version is read as HTTP/1.1", () => {
  expect(read("GET / HTTP/1.9", hostLine)).toEqual(read("GET / HTTP/1.1", hostLine));
});

test("the target of OPTIONS may be an asterisk", () => {
  const { target, fault } = read("OPTIONS * HTTP/1.1", hostLine);
  expect({ target, fault }).toEqual({ target: "*", fault: undefined });
});

test("a request of HTTP/1.0 needs no Host header", () => {
  const { isHttp10, fault } = read("GET / HTTP/1.0");
  expect({ isHttp10, fault }).toEqual({ isHttp10: true, fault: undefined });
});

const requestLine = "GET / HTTP/1.1";
const faultMessages = {
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
  ["an empty request line", faultMessages.request, [""]],
  ["no target", faultMessages.request, ["GET HTTP/1.1", hostLine]],
  ["an empty target", faultMessages.target, ["GET  HTTP/1.1", hostLine]],
  ["a space in the target", faultMessages.request, ["GET /a b HTTP/1.1", hostLine]],
  ["a control character in the target", faultMessages.target, ["GET /a\x7f HTTP/1.1", hostLine]],
  ["a tab instead of a space", faultMessages.request, ["GET\t/ HTTP/1.1", hostLine]],
  ["an authority as the target", faultMessages.target, ["CONNECT shop.test:443 HTTP/1.1", hostLine]],
  ["an asterisk as the target of another method", faultMessages.target, ["GET * HTTP/1.1", hostLine]],
  ["a fragment", faultMessages.fragment, ["GET /a#b HTTP/1.1", hostLine]],
  ["a malformed method", faultMessages.request, ["G(T / HTTP/1.1", hostLine]],
  ["another protocol", faultMessages.request, ["GET / HTTPS/1.1", hostLine]],
  ["a version in small letters", faultMessages.request, ["GET / http/1.1", hostLine]],
  ["a version of two digits", faultMessages.request, ["GET / HTTP/1.10", hostLine]],
  ["a version of one digit", faultMessages.request, ["GET / HTTP/2", hostLine]],
  ["a URL without a host as the target", faultMessages.target, ["GET http:///a HTTP/1.1", hostLine]],
  ["a URL with a malformed host as the target", faultMessages.target, ['GET http://x"y/ HTTP/1.1', hostLine]],
  ["a URL with a user as the target", faultMessages.target, ["GET http://user@shop.test/ HTTP/1.1", hostLine]],
  ["no host", faultMessages.host, [requestLine]],
  ["two hosts", faultMessages.host, [requestLine, hostLine, "Host: other.test"]],
  ["a malformed host", faultMessages.host, [requestLine, "Host: a b"]],
  ["a field without a colon", faultMessages.field, [requestLine, hostLine, "X-A"]],
  ["a field without a name", faultMessages.field, [requestLine, hostLine, ": a"]],
  ["a space before the colon", faultMessages.field, [requestLine, hostLine, "X-A : b"]],
  ["a field that continues on the next line", faultMessages.field, [requestLine, hostLine, "X-A: b", " c"]],
  ["an empty line between fields", faultMessages.field, [requestLine, hostLine, "", "X-A: b"]],
  ["a line feed alone", faultMessages.character, [requestLine, hostLine, "X-A: b\nX-B: c"]],
  ["a carriage return alone", faultMessages.character, [requestLine, hostLine, "X-A: b\rX-B: c"]],
  ["a null character in a value", faultMessages.character, [requestLine, hostLine, "X-A: \0"]],
  [
    "too many fields",
    faultMessages.count,
    [requestLine, hostLine, ...Array.from({ length: maxFields }, () => "X-A: b")],
  ],
  ["two lengths", faultMessages.length, [requestLine, hostLine, "Content-Length: 1", "Content-Length: 1"]],
  ["a length with a sign", faultMessages.length, [requestLine, hostLine, "Content-Length: +1"]],
  ["an empty length", faultMessages.length, [requestLine, hostLine, "Content-Length:"]],
  [
    "a length beyond the safe integers",
    faultMessages.length,
    [requestLine, hostLine, "Content-Length: 9007199254740992"],
  ],
  [
    "a length and chunks",
    faultMessages.framing,
    [requestLine, hostLine, "Content-Length: 1", "Transfer-Encoding: chunked"],
  ],
  ["chunks of HTTP/1.0", faultMessages.framing, ["GET / HTTP/1.0", "Transfer-Encoding: chunked"]],
  ["chunks twice", faultMessages.coding, [requestLine, hostLine, "Transfer-Encoding: chunked, Chunked"]],
  ["chunks in another coding", faultMessages.coding, [requestLine, hostLine, "Transfer-Encoding: chunked, gzip"]],
  ["an empty coding", faultMessages.coding, [requestLine, hostLine, "Transfer-Encoding:"]],
  ["a malformed coding", faultMessages.coding, [requestLine, hostLine, 'Transfer-Encoding: "chunked"']],
  ["a tab in the coding", faultMessages.tab, [requestLine, hostLine, "Transfer-Encoding: chunked\t "]],
  ["a tab in the length", faultMessages.tab, [requestLine, hostLine, "Content-Length:\t1"]],
])("a head is malformed with %s", (_, message, lines) => {
  expect(read(...lines).fault).toEqual({ kind: "malformed", message: expect.stringContaining(message) });
});

test.each(["gzip", "xchunked", "gzip, chunked", "chunked;a=b", 'br;q="1"', "identity"])(
  "the transfer coding %s is unsupported",
  (coding) => {
    const { fault } = read(requestLine, hostLine, `Transfer-Encoding: ${coding}`);
    expect(fault).toEqual({ kind: "unsupportedCoding", message: expect.stringContaining(faultMessages.coding) });
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
  expect(checkIncompleteHead(encode(text), maxBytes)).toBeUndefined();
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
  expect(checkIncompleteHead(encode(text), maxBytes)?.fault?.kind).toBe(kind as never);
});

test.each([
  ["checked before", "a\nb", 2, undefined],
  ["behind the checked bytes", "a\r\nb\n", 4, "malformed"],
  ["right behind a checked carriage return", "a\r\n", 2, undefined],
  ["right behind the checked bytes", "ab\n", 2, "malformed"],
])("each line feed of an incomplete head is checked once: %s", (_, text, checkedBytes, kind) => {
  expect(checkIncompleteHead(encode(text), maxBytes, checkedBytes)?.fault?.kind).toBe(kind as never);
});

test("a request is recognised as HEAD by its method alone", () => {
  const [heads, others] = [
    ["HEAD / HTTP/1.1", "HEAD ", "HEAD\r\n", "HEAD\t/"],
    ["HEAD", "HEA", "HEADX / HTTP/1.1", "HEAD-A", "head /", "GET /HEAD "],
  ];
  expect(heads?.map((text) => startsWithHeadMethod(encode(text), 0))).toEqual([true, true, true, true]);
  expect(others?.map((text) => startsWithHeadMethod(encode(text), 0))).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(startsWithHeadMethod(encode("\r\nHEAD /"), 2)).toBe(true);
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
