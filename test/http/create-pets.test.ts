import { afterAll, expect, test } from "bun:test";
import { toJson } from "../../src/base/json.ts";
import { checkStore } from "../../src/store/open-store.ts";
import { recordTable } from "../../src/store/tables.ts";
import { addKey } from "../support/keys.ts";
import { watchMetrics } from "../support/metrics.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/wait.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

interface Batch {
  readonly created: number;
  readonly failed: number;
  readonly results: readonly { index: number; pet?: { id: number; name: string }; error?: { message: string } }[];
}

interface LoggedEvent {
  readonly subject: string;
  readonly actor: object;
  readonly request: string;
  readonly data: { readonly id: number; readonly name: string };
}

const rex = { name: "Rex", categoryId: 7 };
const add = (body: unknown, headers: Record<string, string> = {}) =>
  service.client.call("/v1/pets:batch", { method: "POST", body, headers });
const countPets = async () => {
  const { json } = await service.client.call("/v1/store/inventory");
  return Object.values(json as Record<string, number>).reduce((sum, one) => sum + one);
};
const categoryRule = "an integer from -9223372036854775808 to 9223372036854775807";

test("a batch adds its animals in their order and returns each of them", async () => {
  const before = await countPets();
  const { status, json, headers } = await add(
    '{"pets":[{"name":"Rex","categoryId":9007199254740993},{"name":"Mia","categoryId":-1,"status":"sold"}]}',
  );
  expect(status).toBe(200);
  expect(headers.get("etag")).toBeNull();
  const { results } = json as Batch;
  const first = results[0]?.pet?.id ?? 0;
  expect(json).toEqual({
    created: 2,
    failed: 0,
    results: [
      { index: 0, pet: { id: first, name: "Rex", categoryId: 9007199254740993n, status: "available" } },
      { index: 1, pet: { id: first + 1, name: "Mia", categoryId: -1, status: "sold" } },
    ],
  });
  expect((await service.client.call(`/v1/pets?id=${first}`)).json).toEqual([(results[0] as { pet: object }).pet]);
  expect(await countPets()).toBe(before + 2);
});

test("a batch with an invalid animal adds none, and the message lists every error of every animal", async () => {
  const before = await countPets();
  const pets = [rex, { name: "", status: "lost" }, 7, { ...rex, categoryId: 1.5 }];
  const { status, json } = await add({ pets });
  expect([status, json]).toEqual([
    400,
    {
      code: "BadRequest",
      status: 400,
      message: [
        "pets[1]: name must be a string of 1 to 255 characters, at least one of them visible and none of them a control character.",
        `pets[1]: categoryId is missing; it must be ${categoryRule}.`,
        "pets[1]: status must be one of available, pending, sold.",
        "pets[2]: A JSON object is required.",
        `pets[3]: categoryId must be ${categoryRule}.`,
      ].join(" "),
    },
  ]);
  const problem = await add({ pets }, { accept: "application/problem+json" });
  expect((problem.json as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)).toEqual([
    "#/pets/1/name",
    "#/pets/1/categoryId",
    "#/pets/1/status",
    "#/pets/2",
    "#/pets/3/categoryId",
  ]);
  expect(await countPets()).toBe(before);
});

test("the message of a rejected batch lists at most a hundred errors, and states the number of further errors", async () => {
  const { json } = await add({ pets: Array.from({ length: 70 }, () => ({})) }, { accept: "application/problem+json" });
  const { errors } = json as { errors: { message: string }[] };
  expect(errors).toHaveLength(100);
  expect(errors.at(-1)?.message).toEndWith("40 more are wrong.");
});

test("a batch with atomic: false adds the valid animals and returns the errors of createPet for the others", async () => {
  const before = await countPets();
  const wrong = { name: "Mia", categoryId: "7", status: null };
  const alone = await service.client.call("/v1/pets", { body: wrong });
  const { status, json } = await add({ pets: [wrong, rex, [], rex], atomic: false });
  expect(status).toBe(200);
  const { created, failed, results } = json as Batch;
  expect([created, failed]).toEqual([2, 2]);
  expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(results[0]?.error as object).toEqual(alone.json as object);
  expect(results[1]?.pet).toMatchObject(rex);
  expect(results[2]?.error).toEqual({
    code: "BadRequest",
    message: "A JSON object is required.",
    status: 400,
  } as never);
  expect((results[3]?.pet?.id ?? 0) > (results[1]?.pet?.id ?? 0)).toBe(true);
  expect(await countPets()).toBe(before + 2);
  const none = await add({ pets: [wrong], atomic: false });
  expect(none.json).toMatchObject({ created: 0, failed: 1 });
});

test.each([
  ["no list", {}, "pets is missing; it must be a list of 1 to 1000 objects."],
  ["an empty list", { pets: [] }, "pets must be a list of 1 to 1000 objects."],
  ["an object as the list", { pets: { 0: rex } }, "pets must be a list of 1 to 1000 objects."],
  ["a list of too many animals", { pets: Array(1001).fill(rex) }, "pets must be a list of 1 to 1000 objects."],
  ["atomic that is not a boolean", { pets: [rex], atomic: "no" }, "atomic must be true or false."],
])("a batch with %s gets 400", async (_, body, message) => {
  const response = await add(body);
  expect([response.status, (response.json as { message: string }).message]).toEqual([400, message]);
});

test("strict handling refuses unknown and repeated fields of an animal", async () => {
  const strict = { prefer: "handling=strict" };
  const unknown = await add({ pets: [rex, { ...rex, colour: "red" }] }, strict);
  expect(unknown.json).toMatchObject({ status: 400, message: "pets[1]: colour is unknown; leave it out." });
  const repeated = await add('{"pets":[{"name":"Rex","name":"Mia","categoryId":7}]}', strict);
  expect(repeated.json).toMatchObject({ status: 400, message: "pets[0]: name must be given only once." });
  expect((await add({ pets: [{ ...rex, colour: "red" }] })).status).toBe(200);
});

test("a batch can have a thousand names of maximum length, even if escaped, and a larger body gets 413", async () => {
  const escaped = "\\ud83d\\udc36".repeat(255);
  const pet = `{"name":"${escaped}","categoryId":-9223372036854775808,"status":"available"}`;
  const { status, json } = await add(`{"pets":[${Array(1000).fill(pet).join(",")}]}`);
  expect(status).toBe(200);
  expect((json as Batch).results[999]?.pet?.name).toBe("🐶".repeat(255));
  const large = await add(`{"pets":[${JSON.stringify(rex)}${" ".repeat(4096 * 1024)}]}`);
  expect([large.status, (large.json as { message: string }).message]).toEqual([
    413,
    "The body is too large. Send at most 4194304 bytes.",
  ]);
  expect((await service.client.call("/v1/pets", { body: { ...rex, note: "x".repeat(65_536) } })).status).toBe(413);
});

test("a batch with more fields and items than a thousand animals can have gets 400 before it is parsed", async () => {
  const { status, json } = await add(`{"pets":[${Array(100_001).fill("1e1").join(",")}]}`);
  expect([status, (json as { message: string }).message]).toEqual([
    400,
    "The body has too many fields and items. Send at most 100000.",
  ]);
});

test("adding a batch needs the scope write, and works at no other path", async () => {
  const { key } = await addKey(service.store);
  const refused = await service.client.call("/v1/pets:batch", { key, body: { pets: [rex] } });
  expect(refused.status).toBe(403);
  expect((await service.client.call("/v1/pets:batch")).status).toBe(405);
  expect((await service.client.call("/v1/pets:other", { body: { pets: [rex] } })).status).toBe(404);
  expect((await service.client.call("/v1/pets/:batch", { method: "PATCH", body: {} })).status).not.toBe(200);
});

test("a repeated batch is executed once, gets the same bytes, and has a small idempotency record", async () => {
  const body = toJson({
    pets: Array.from({ length: 1000 }, (_, index) =>
      index % 10 === 3 ? {} : { name: `A${index}`, categoryId: index },
    ),
    atomic: false,
  });
  const headers = { "idempotency-key": "a-thousand" };
  const first = await add(body, headers);
  const before = await countPets();
  const again = await add(body, headers);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await countPets()).toBe(before);
  const rows = await service.store.transfer.read(recordTable, undefined, 10);
  expect(rows).toHaveLength(1);
  expect(String(rows[0]?.[2]).length).toBeLessThan(100);
});

test("a repeated batch with another body gets 422, even if only an invalid animal differs", async () => {
  const headers = { "idempotency-key": "another-body" };
  const body = (wrong: unknown) => ({ pets: [rex, wrong], atomic: false });
  expect((await add(body({ name: "Mia" }), headers)).status).toBe(200);
  expect((await add(body({ name: "Kim" }), headers)).status).toBe(422);
  expect((await add(body({ name: "Mia" }), headers)).status).toBe(200);
});

test("the outcome of a batch without a valid animal is stored for its Idempotency-Key, too", async () => {
  const headers = { "idempotency-key": "nothing-right" };
  expect((await add({ pets: [{}], atomic: false }, headers)).json).toMatchObject({ created: 0 });
  expect((await add({ pets: [rex], atomic: false }, headers)).status).toBe(422);
});

test("concurrent identical batches add their animals once", async () => {
  const before = await countPets();
  const body = { pets: [rex, rex, rex] };
  const responses = await Promise.all(Array.from({ length: 16 }, () => add(body, { "idempotency-key": "at-once" })));
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  for (const { status } of responses) expect([200, 409]).toContain(status);
  expect(await countPets()).toBe(before + 3);
});

test("each animal of a batch has an event with the id of the request, and the log agrees with the store", async () => {
  await using own = await startService();
  const { key, id } = await addKey(own.store, { name: "import", scope: "write" });
  const pets = Array.from({ length: 600 }, (_, index) => ({ name: `Animal ${index}`, categoryId: index }));
  const headers = { "x-request-id": "batch-1", "idempotency-key": "events" };
  await own.client.call("/v1/pets:batch", { key, body: { pets: pets.slice(0, 300) }, headers });
  await own.client.call("/v1/pets:batch", { key, body: { pets: pets.slice(300) } });
  const types = ["pet.created"] as const;
  await until(async () => (await own.store.events.read({ types }, 0, 1000)).events.length === 600);
  const { events } = await own.store.events.read({ types }, 0, 1000);
  const logged = events.map(({ subject, body }) => ({ ...(JSON.parse(body) as LoggedEvent), column: subject }));
  expect(logged.map(({ data }) => data.name)).toEqual(pets.map(({ name }) => name));
  for (const { subject, column, data } of logged) {
    expect([subject, column]).toEqual([`pets/${data.id}`, `pets/${data.id}`]);
  }
  expect(logged[299]).toMatchObject({ actor: { id, name: "import" }, request: "batch-1" });
  const wrong = (await checkStore(own.database.address, { shouldReplay: true })).filter(({ problem }) => problem);
  expect(wrong).toEqual([]);
});

test("incomplete large bodies use up the memory limit of their key family and the global limit", async () => {
  await using own = await startService({ bodyMemoryLimits: { maxBytes: 1_500_000, maxBytesPerFamily: 1_000_000 } });
  await using watched = watchMetrics(own);
  const { key } = own.client;
  const { key: other } = await addKey(own.store, { name: "import", scope: "admin" });
  const renderBatch = (bytes: number) => JSON.stringify({ pets: [rex] }).padEnd(bytes, " ");
  /** Sends a batch without its last byte. */
  const begin = (bytes: number, key: string) => {
    const fields = [
      "Host: x",
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${bytes}`,
    ];
    const connection = new RawConnection(own.client.url);
    return connection.send(`POST /v1/pets:batch HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${renderBatch(bytes - 1)}`);
  };
  const untilReserved = (bytes: number) =>
    watched.until((scrape) => (scrape.value("animal_store_large_bodies_bytes") ?? 0) >= bytes);
  using first = begin(900_000, key);
  await untilReserved(800_000);
  using further = begin(300_000, key);
  const refused = await further.response();
  expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(refused?.text).toContain("Too many large bodies are being received. Try again in a moment.");
  using small = begin(60_000, key);
  expect((await small.send(" ").response())?.status).toBe(200);
  // The body would fit the limit of the other key, but not the global limit.
  using large = begin(900_000, other);
  expect((await large.response())?.status).toBe(429);
  using second = begin(600_000, other);
  await untilReserved(1_300_000);
  expect((await first.send(" ").response())?.status).toBe(200);
  // The successor of a key shares the limit of that key.
  const { json } = await own.client.call("/v1/keys/1/rotate", { key: other, body: { overlapSeconds: 3_600 } });
  using ofSuccessor = begin(600_000, (json as { key: string }).key);
  expect((await ofSuccessor.response())?.status).toBe(429);
  const throttled = (await watched.scrape()).value("animal_store_throttled_total", { kind: "bodies" });
  expect(throttled).toBe(3);
  expect((await second.send(" ").response())?.status).toBe(200);
  using aborted = begin(900_000, key);
  await untilReserved(800_000);
  aborted[Symbol.dispose]();
  await watched.until((scrape) => scrape.value("animal_store_large_bodies_bytes") === 0);
});
