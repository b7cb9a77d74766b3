import { afterAll, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  service.client.call("/v1/pets", { method: "POST", body, headers });

test("createPet returns 201 with the animal, its id and its location", async () => {
  const response = await create({ name: "Rex", categoryId: 7, status: "pending" });
  expect(response.status).toBe(201);
  const { id } = response.json as { id: number };
  expect(response.text).toBe(`{"id":${id},"name":"Rex","categoryId":7,"status":"pending"}`);
  expect(response.headers.get("location")).toBe(`/v1/pets/${id}`);
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("the ids of animals ascend from 1", async () => {
  await using fresh = await startService();
  const ids = [];
  for (let index = 0; index < 3; index++) {
    const { json } = await fresh.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    ids.push((json as { id: number }).id);
  }
  expect(ids).toEqual([1, 2, 3]);
});

test("an animal that is created without a status is available", async () => {
  expect((await create({ name: "Rex", categoryId: 7 })).json).toMatchObject({ status: "available" });
});

test.each(["9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993", "0", "42"])(
  "categoryId %s is returned digit for digit",
  async (digits) => {
    const created = await create(`{"name":"Rex","categoryId":${digits}}`);
    expect(created.status).toBe(201);
    const { id } = created.json as { id: number };
    const animal = `{"id":${id},"name":"Rex","categoryId":${digits},"status":"available"}`;
    expect(created.text).toBe(animal);
    expect((await service.client.call(`/v1/pets/${id}`)).text).toBe(animal);
    expect((await service.client.call(`/v1/pets?id=${id}`)).text).toBe(`[${animal}]`);
    expect((await service.client.call(`/v1/pets?categoryId=${digits}&limit=100`)).text).toContain(animal);
  },
);

test.each([
  ["1.0", 1],
  ["1e2", 100],
  ["1.5e1", 15],
  ["120e-1", 12],
  ["-0", 0],
  ["0.0e99999999999", 0],
  ["9.223372036854775807e18", 9223372036854775807n],
])("categoryId %s is read as the integer %p", async (written, value) => {
  expect((await create(`{"name":"Rex","categoryId":${written}}`)).json).toMatchObject({ categoryId: value });
});

test.each([
  "9223372036854775808",
  "-9223372036854775809",
  "1e19",
  "1e400",
  "1e99999999999",
  "1.5",
  "1e-1",
  "1.00000000000000000001",
  '"7"',
  "true",
  "null",
  "[7]",
  "{}",
])("createPet returns 400 for categoryId %s", async (written) => {
  const response = await create(`{"name":"Rex","categoryId":${written}}`);
  expect(response.status).toBe(400);
  expect(response.json).toEqual({
    code: "BadRequest",
    message: "categoryId must be an integer from -9223372036854775808 to 9223372036854775807.",
    status: 400,
  });
});

test.each([
  "x",
  "  kept as sent  ",
  "a".repeat(255),
  "🦜".repeat(255),
  "Ünïcödé 動物 \u202e‏",
  "\u2028line",
  '<script>alert("x")</script>',
  "'; DROP TABLE pets; --",
  "__proto__",
  "\ufffd",
  "e\u0301",
  "👩\u200d🚀",
  "\u200bRex\u2800",
  "\u{1d11e}",
])("the name %p is stored as it was sent", async (name) => {
  const created = await create({ name, categoryId: 1 });
  expect(created.json).toMatchObject({ name });
  const { id } = created.json as { id: number };
  expect((await service.client.call(`/v1/pets/${id}`)).json).toMatchObject({ name });
});

test.each([
  "",
  " ",
  "\u00a0\u3000\u2028",
  "\u200b",
  "\u200d\u2060\ufeff\u00ad",
  "\u115f\u1160\u3164\uffa0",
  "\u180e\u2800",
  "\ufe0f\u{e0100}",
  "\u{e0067}\u{e0062}\u{e007f}",
  "\u{1d173}\u{1bca0}",
  "a".repeat(256),
  "🦜".repeat(256),
  "a\u0000b",
  "tab\there",
  "line\nbreak",
  "\u007f",
  "\u0085",
  "\ud800",
  "half \udc00 pair",
  1,
  null,
  {},
  false,
  [["Rex"]],
])("createPet returns 400 for the name %p", async (name) => {
  const response = await create({ name, categoryId: 1 });
  expect(response.status).toBe(400);
  expect(response.json).toMatchObject({
    message:
      "name must be a string of 1 to 255 characters, at least one of them visible and none of them a control character.",
  });
});

test.each(["", "Available", "gone", null, 1, [["available"]]])(
  "createPet returns 400 for the status %p",
  async (status) => {
    const response = await create({ name: "Rex", categoryId: 1, status });
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ message: "status must be one of available, pending, sold." });
  },
);

test("a 400 response lists every wrong field", async () => {
  const response = await create({ status: "lost" });
  expect(response.status).toBe(400);
  const { message } = response.json as { message: string };
  for (const field of ["name", "categoryId"]) expect(message).toContain(`${field} is missing; it must be`);
  expect(message).toContain("status must be");
});

test("a rejected request adds no animal", async () => {
  await using fresh = await startService();
  await fresh.client.call("/v1/pets", { body: { name: "", categoryId: 1 } });
  await fresh.client.call("/v1/pets", { body: "{" });
  expect((await fresh.client.call("/v1/pets")).json).toEqual([]);
});

test("createPet ignores unknown fields", async () => {
  const response = await create('{"name":"Rex","categoryId":1,"id":99999,"color":"red","__proto__":{"status":"sold"}}');
  expect(response.status).toBe(201);
  expect(response.json).toMatchObject({ status: "available" });
  expect((response.json as { id: number }).id).not.toBe(99999);
});

const valid = '{"name":"Rex","categoryId":1}';

test.each([
  ["", "The body is missing. Send a JSON object."],
  ["{", "The body is not valid JSON."],
  ["{'name':'Rex'}", "The body is not valid JSON."],
  [`${valid}x`, "The body is not valid JSON."],
  ['{"name":"Rex","categoryId":01}', "The body is not valid JSON."],
  ['{"name":"Rex","categoryId":NaN}', "The body is not valid JSON."],
  ["null", "A JSON object is required."],
  ["[]", "A JSON object is required."],
  ['"Rex"', "A JSON object is required."],
  ["9223372036854775808", "A JSON object is required."],
  [
    `{"name":"Rex","categoryId":1,"x":${"[".repeat(32)}${"]".repeat(32)}}`,
    "The body is nested too deeply. Nest at most 32 arrays and objects.",
  ],
  ["[".repeat(60_000), "The body is nested too deeply. Nest at most 32 arrays and objects."],
])("createPet returns 400 for the body %p", async (body, message) => {
  const response = await create(body);
  expect(response.json).toEqual({ code: "BadRequest", message, status: 400 });
});

test("a request without a body, and so without a Content-Type, gets 400 instead of 415", async () => {
  const response = await service.client.call("/v1/pets", { method: "POST" });
  expect(response.json).toMatchObject({ message: "The body is missing. Send a JSON object.", status: 400 });
});

test("brackets in strings do not count towards the depth of a body", async () => {
  const response = await create({ name: `"\\${"[".repeat(200)}`, categoryId: 1 });
  expect(response.status).toBe(201);
});

test("a body that is not UTF-8 gets 400", async () => {
  const response = await create(
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","categoryId":1}')]),
  );
  expect(response.json).toEqual({ code: "BadRequest", message: "The body is not valid UTF-8.", status: 400 });
});

test("a body of 64 KiB is accepted, and one byte more gets 413", async () => {
  const padded = (length: number) => valid.replace("{", `{${" ".repeat(length - valid.length)}`);
  expect((await create(padded(65_536))).status).toBe(201);
  const response = await create(padded(65_537));
  expect(response.json).toEqual({
    code: "PayloadTooLarge",
    message: "The body is too large. Send at most 65536 bytes.",
    status: 413,
  });
});

test("a chunked body of 64 KiB is accepted, and one byte more gets 413", async () => {
  const padded = (length: number) => createStream([" ".repeat(length - valid.length), valid]);
  expect((await create(padded(65_536))).status).toBe(201);
  expect((await create(padded(65_537))).status).toBe(413);
});

test("an endless chunked body gets 413", async () => {
  const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.alloc(16_384, " "));
  expect((await create(new ReadableStream({ pull }))).status).toBe(413);
});

test("a body in chunks of one byte is accepted", async () => {
  expect((await create(createStream(valid))).status).toBe(201);
});

test.each([
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  'application/json;charset="UTF-8"',
])("a body of the type %s is accepted", async (type) => {
  expect((await create(valid, { "content-type": type })).status).toBe(201);
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=latin1",
  "application/jsonp",
  "json",
])("a body of the type %s gets 415 with Accept", async (type) => {
  const response = await create(valid, { "content-type": type });
  expect(response.status).toBe(415);
  expect(response.headers.get("accept")).toBe("application/json");
});

test.each(["gzip", "br", "deflate", "zstd", "GZip", "identity, gzip"])(
  "a body with the encoding %s gets 415",
  async (encoding) => {
    const response = await create(valid, { "content-encoding": encoding });
    expect(response.status).toBe(415);
    expect(response.headers.get("accept-encoding")).toBe("identity");
  },
);

test("a body with the encoding identity is accepted", async () => {
  expect((await create(valid, { "content-encoding": "identity" })).status).toBe(201);
});

function createStream(chunks: Iterable<string>): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });
}
