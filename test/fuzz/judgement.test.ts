import { expect, test } from "bun:test";
import { createOpenApiDocument } from "../../src/openapi/document.ts";
import { operations } from "../../src/operations/index.ts";
import { type Case, generateCase, type SentRequest } from "./cases.ts";
import { Oracle } from "./oracle.ts";
import { MalformedResponse, ResponseReader } from "./responses.ts";
import { ServiceLog } from "./service-log.ts";
import type { World } from "./world.ts";

const world: World = {
  keys: { read: ["ask_read"], write: ["ask_write"], admin: ["ask_admin"] },
  wrongKeys: ["ask_wrong"],
  etags: ['"x"'],
  pagePaths: ["/v1/pets?cursor=x"],
  receiverUrls: ["http://127.0.0.1:9/204"],
};

test("a case depends only on the seed and the index", () => {
  const first = Array.from({ length: 500 }, (_, index) => generateCase(5, index, world));
  const reversed = Array.from({ length: 500 }, (_, index) => generateCase(5, 499 - index, world)).reverse();
  expect(reversed).toEqual(first);
});

test("another seed or index produces another case", () => {
  const generateBytes = (seed: number, index: number) =>
    Buffer.concat([...generateCase(seed, index, world).writes]).toString("latin1");
  const all = [1, 2, 3, 4].flatMap((seed) => Array.from({ length: 250 }, (_, index) => generateBytes(seed, index)));
  // A few cases have only one byte, so two of them may be equal.
  expect(new Set(all).size).toBeGreaterThan(950);
});

const parseResponse = (text: string, isHead = false) => {
  const reader = new ResponseReader();
  reader.push(Buffer.from(text, "latin1"));
  return reader.next(isHead);
};

test("the response parser parses consecutive responses that arrive byte by byte", () => {
  const reader = new ResponseReader();
  const text =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 204 No Content\r\n\r\n";
  for (const byte of Buffer.from(text)) {
    expect(reader.next(false)).toBeUndefined();
    reader.push(Buffer.of(byte));
    if (reader.rest.toString().endsWith("ok"))
      expect(reader.next(false)).toMatchObject({ status: 200, body: Buffer.from("ok") });
  }
  expect(reader.next(false)?.status).toBe(204);
  expect(reader.rest).toHaveLength(0);
});

test("the response parser parses chunked bodies, and reads bodies without a length until the connection ends", () => {
  const chunked = new ResponseReader();
  chunked.push(Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n"));
  expect(chunked.next(false)).toBeUndefined();
  chunked.push(Buffer.from("\r\n"));
  expect(chunked.next(false)?.body.toString()).toBe("abc");
  expect(chunked.rest).toHaveLength(0);
  const open = new ResponseReader();
  open.push(Buffer.from("HTTP/1.1 200 OK\r\nA: b\r\n\r\nabc"));
  expect(open.next(false)).toBeUndefined();
  expect(open.next(false, true)?.body.toString()).toBe("abc");
});

test("the response parser expects no body in a response to HEAD", () => {
  expect(parseResponse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", true)?.status).toBe(200);
  expect(parseResponse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")).toBeUndefined();
});

test.each([
  ["garbage", "garbage"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n"],
  ["an invalid status", "HTTP/1.1 999 OK\r\n\r\n"],
  ["a bare carriage return in a header", "HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 0\r\n\r\n"],
  ["a bare line feed in a header", "HTTP/1.1 200 OK\r\nA: b\nX-Injected: c\r\nContent-Length: 0\r\n\r\n"],
  ["a control character in a header", "HTTP/1.1 200 OK\r\nA: \0\r\nContent-Length: 0\r\n\r\n"],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n"],
  ["an invalid length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"],
  ["a length for a chunked body", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["an unknown transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"],
  ["a chunk without a length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"],
  ["a chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"],
])("the response parser rejects %s", (_, text) => {
  expect(() => parseResponse(text)).toThrow();
});

test.each([
  ["head", "HTTP/1.1 200 OK\r\nA: b\r\n"],
  ["body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"],
])("the response parser rejects another response that begins within a %s", (_, text) => {
  expect(() => parseResponse(`${text}HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n`)).toThrow(
    MalformedResponse,
  );
});
const oracle = new Oracle(createOpenApiDocument(operations, []));
const headers = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-request-id": "fuzz-1",
};
const createdHeaders = { ...headers, etag: '"x"', location: "/v1/pets/7" };
const pet = { id: 7, name: "Rex", categoryId: 7, status: "available" };
const notFound = { code: "NotFound", message: "No animal has the id 7.", status: 404 };
const post: SentRequest = {
  method: "POST",
  target: "/v1/pets",
  id: "fuzz-1",
  operation: undefined,
  expectedPet: { name: "Rex", categoryId: 7 },
  keyCertainty: "sure",
};
const patch: SentRequest = { ...post, method: "PATCH", target: "/v1/pets/7", expectedPet: undefined };
const exportRequest: SentRequest = { ...patch, method: "GET", target: "/v1/export" };
const tooManyExports = { code: "TooManyRequests", message: "Too many exports are in progress.", status: 429 };
const rateLimitHeaders = {
  "retry-after": "5",
  "ratelimit-policy": '"default";q=1000000;w=1',
  ratelimit: '"default";r=999937;t=1',
};
const judge = (
  request: SentRequest,
  status: number,
  headers: Record<string, string>,
  body: unknown,
  due: Case["due"] = "responses",
  moreHeaders: [string, string][] = [],
) => {
  const fuzzCase: Case = {
    index: 1,
    kind: "request",
    writes: [],
    pauseMs: 0,
    requests: [request],
    due,
    ending: "keep",
    scope: "admin",
  };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === null ? "" : JSON.stringify(body));
  const { problems } = oracle.judge(fuzzCase, request, {
    status,
    headers: [...Object.entries(headers), ...moreHeaders],
    body: bytes,
  });
  return problems.join("\n");
};
const { "x-request-id": _, ...headersWithoutId } = headers;

test("the oracle accepts correct responses to a valid request", () => {
  expect(judge(post, 201, createdHeaders, pet)).toBe("");
  expect(judge(patch, 404, headers, notFound)).toBe("");
  expect(judge({ ...patch, target: "http://x/v1/pets/7" }, 404, headers, notFound)).toBe("");
  expect(judge(exportRequest, 429, { ...headers, ...rateLimitHeaders }, tooManyExports)).toBe("");
});

test("the oracle accepts a refusal of malformed bytes, even with another request id", () => {
  const refused = { ...headers, connection: "close", "x-request-id": "another" };
  const malformed = { code: "BadRequest", message: "Send a request.", status: 400 };
  expect(judge(post, 400, refused, malformed, "reaction")).toBe("");
  expect(judge(post, 400, refused, malformed)).toContain("it refuses the request, which HTTP allows");
  expect(judge(post, 400, { ...refused, connection: "keep-alive" }, malformed, "reaction")).toContain("not fuzz-1");
  expect(judge(post, 400, refused, { ...malformed, code: "NotFound" }, "reaction")).toContain("not fuzz-1");
  expect(judge(post, 431, refused, malformed, "reaction")).toContain("not fuzz-1");
  const unsupported = { code: "NotImplemented", message: "Send the body in chunks.", status: 501 };
  expect(judge(post, 501, refused, unsupported, "reaction")).toBe("");
  expect(judge(post, 505, refused, unsupported, "reaction")).toContain("not fuzz-1");
});

test.each([
  [
    "error of the service",
    () => judge(patch, 500, headers, { code: "InternalServerError", message: "x", status: 500 }),
  ],
  ["no X-Request-Id", () => judge(patch, 404, headersWithoutId, notFound)],
  ["its request id is fuzz-2", () => judge(patch, 404, { ...headers, "x-request-id": "fuzz-2" }, notFound)],
  ["x-injected", () => judge(patch, 404, { ...headers, "x-injected": "yes" }, notFound)],
  ["etag twice", () => judge(post, 201, createdHeaders, pet, "responses", [["etag", '"y"']])],
  ["the body is wrong", () => judge(post, 201, createdHeaders, { ...pet, id: "7" })],
  ["does not give that status", () => judge(patch, 418, headers, notFound)],
  ["the code is", () => judge(patch, 404, headers, { ...notFound, code: "Lost" })],
  ["not UTF-8", () => judge(patch, 404, headers, Buffer.from([...Buffer.from(JSON.stringify(notFound)), 0x20, 0xff]))],
  ["inside of the service", () => judge(patch, 404, headers, { ...notFound, message: "at handle (/x/get-pet.ts:12)" })],
  ["was not added", () => judge(post, 400, headers, { code: "BadRequest", message: "x", status: 400 })],
  ["not the one that was sent", () => judge(post, 201, createdHeaders, { ...pet, name: "Rexx" })],
  ["not the one that was sent", () => judge(post, 201, createdHeaders, { ...pet, categoryId: 8 })],
  [
    "a key that works was refused",
    () => judge(patch, 401, headers, { code: "Unauthorized", message: "x", status: 401 }),
  ],
  ["a key that works was refused", () => judge(exportRequest, 429, headers, tooManyExports)],
  ["other than the key", () => judge({ ...patch, keyCertainty: "none" }, 404, headers, notFound)],
])("the oracle reports this problem: %s", (problem, judgeResponse) => {
  expect(judgeResponse()).toContain(problem);
});

const readLog = async (text: string) => {
  const seen: string[] = [];
  const log = new ServiceLog(["0123456789abcdef0123456789abcdef"], ({ requestId }) => seen.push(requestId));
  await log.read(new Blob([text]).stream());
  return { seen, problems: log.problems.join("\n") };
};
const renderLine = (fields: object) =>
  `${JSON.stringify({ level: "info", message: "request", requestId: "fuzz-1", ...fields })}\n`;

test("the log reader reports requests line by line", async () => {
  expect(await readLog(renderLine({}) + renderLine({ requestId: "fuzz-2" }))).toEqual({
    seen: ["fuzz-1", "fuzz-2"],
    problems: "",
  });
});

test.each([
  ["holds a key", renderLine({ path: "/v1/ask_012345678901" })],
  ["holds a key", renderLine({ path: "/v1/0123456789ab" })],
  ["holds a key", renderLine({ path: "/v1/cdef01234567" })],
  ["holds a key", renderLine({ secret: "whsec_AwMDAwMDAwMD" })],
  ["not JSON", "error: lost\n"],
  ["not JSON", renderLine({}).replace("fuzz-1", "fuzz\n1")],
  ["has a warning or an error", renderLine({ level: "warn" })],
  ["has a warning or an error", renderLine({ level: "warn", message: "a webhook was disabled", reason: "history" })],
  ["ends within a line", renderLine({}).trimEnd()],
])("the log reader reports this problem: %s", async (problem, text) => {
  expect((await readLog(text)).problems).toContain(problem);
});
