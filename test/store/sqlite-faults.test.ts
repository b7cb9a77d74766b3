import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { hashKey } from "../../src/domain/key-secret.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService({}, "sqlite"));

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

it("while another program holds the write lock, reads continue, and writes wait", async (service) => {
  await service.database.fill(3);
  using other = new Database(pathOf(service));
  other.run("BEGIN IMMEDIATE");
  const creating = service.client.call("/v1/pets", { body: rex });
  expect((await service.client.call("/v1/pets")).json).toHaveLength(3);
  expect((await service.client.call("/readyz")).status).toBe(200);
  other.run("COMMIT");
  expect((await creating).json).toMatchObject({ id: 4 });
});

it("a write that has waited for 5 seconds gets 503 with Retry-After, and saves nothing", async (service) => {
  using other = new Database(pathOf(service));
  other.run("BEGIN IMMEDIATE");
  const responses = await Promise.all([1, 2, 3].map(() => service.client.call("/v1/pets", { body: rex })));
  for (const { status, headers, json } of responses) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
    expect((json as { message: string }).message).toContain("Nothing was saved; try again.");
  }
  other.run("COMMIT");
  expect((await service.client.call("/v1/pets", { body: rex })).json).toMatchObject({ id: 1 });
});

test("a write that misses the deadline of its request gets 503 with an unknown outcome", async () => {
  await using service = await startService({ limits: { operationMs: 100 } }, "sqlite");
  using other = new Database(pathOf(service));
  other.run("BEGIN IMMEDIATE");
  const response = await service.client.call("/v1/pets", { body: rex });
  expect(response.json).toEqual({
    code: "ServiceUnavailable",
    message: "The store did not respond in time. It is not known whether the request was carried out.",
    status: 503,
  });
  expect(response.headers.get("retry-after")).toBe("1");
  other.run("COMMIT");
});

it("a full write queue refuses further writes with 503 and Retry-After, and the queued writes are saved or get an error", async (service) => {
  using other = new Database(pathOf(service));
  other.run("BEGIN IMMEDIATE");
  // One write is in flight, and 4096 wait.
  const waiting = Array.from({ length: 4097 }, () => service.store.pets.create(rex));
  const refused = await service.client.call("/v1/pets", { body: rex });
  expect(refused.json).toEqual({
    code: "ServiceUnavailable",
    message: "Too many writes are waiting. Nothing was saved; try again.",
    status: 503,
  });
  expect(refused.headers.get("retry-after")).toBe("1");
  other.run("COMMIT");
  // On a slow machine, the last writes may have waited too long.
  const outcomes = await Promise.allSettled(waiting);
  const saved = outcomes.filter(({ status }) => status === "fulfilled");
  expect(saved.length).toBeGreaterThan(0);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(String(outcome.reason)).toContain("The store is too slow now.");
  }
  expect(other.query("SELECT count(*) AS count FROM pets").get()).toEqual({ count: saved.length });
});

it("writes are refused with 503 once the queued writes hold too many animals, however few the writes are", async (service) => {
  const { pets } = service.store;
  using other = new Database(pathOf(service));
  other.run("BEGIN IMMEDIATE");
  const batch = Array.from({ length: 1_000 }, () => rex);
  // One write is in flight, and 66,000 animals wait.
  const waiting = Promise.allSettled(Array.from({ length: 67 }, () => pets.createAll(batch)));
  await expect(pets.create(rex)).rejects.toThrow("Too many writes are waiting. Nothing was saved; try again.");
  // Without the table, the waiting writes fail at once: saving them would take longer than the rest of the test.
  other.run("ALTER TABLE pets RENAME TO elsewhere");
  other.run("COMMIT");
  await waiting;
});

it("an internal error causes 500 without details, and 503 from readyz", async (service) => {
  await service.client.call("/v1/pets", { body: rex });
  using other = new Database(pathOf(service));
  other.run("ALTER TABLE pets RENAME TO elsewhere");
  for (const body of [undefined, rex]) {
    const response = await service.client.call("/v1/pets", { body });
    expect(response.json).toEqual({
      code: "InternalServerError",
      message: "Something went wrong in the service.",
      status: 500,
    });
  }
  const ready = await service.client.call("/readyz");
  expect(ready.json).toEqual({ code: "ServiceUnavailable", message: "The store is not responding.", status: 503 });
  expect((await service.client.call("/readyz/reads")).json).toEqual(ready.json);
  expect((await service.client.call("/healthz")).status).toBe(200);
  other.run("ALTER TABLE elsewhere RENAME TO pets");
  expect((await service.client.call("/v1/pets", { body: rex })).status).toBe(201);
  expect((await service.client.call("/readyz")).status).toBe(200);
});

it("the database's files contain the hash of a key, but never the key", async (service) => {
  const { key } = await addKey(service.store);
  const files = [pathOf(service), `${pathOf(service)}-wal`];
  const bytes = Buffer.concat(await Promise.all(files.map((file) => Bun.file(file).bytes())));
  expect(bytes.includes(key)).toBe(false);
  expect(bytes.includes(hashKey(key))).toBe(true);
});

function pathOf({ database: { address } }: TestService): string {
  if (address.kind !== "sqlite") throw new Error("These tests are about SQLite.");
  return address.path;
}
