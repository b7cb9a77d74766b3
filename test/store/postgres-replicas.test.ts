import { describe, expect, test } from "bun:test";
import { StoreOpenError } from "../../src/store/store.ts";
import { databaseOn, sharedPostgres } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { PostgresServer } from "../support/postgres.ts";
import { startServiceOn, type TestService } from "../support/service.ts";

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

/** Two instances that write to the primary and read from the standby. */
async function startInstances({ primary, standby }: { primary: PostgresServer; standby: PostgresServer }) {
  const database = databaseOn(primary.url);
  const address = { ...database.address, replicas: [standby.url] } as typeof database.address;
  const one = await startServiceOn({ ...database, address });
  const other = await startServiceOn({ ...database, address, [Symbol.asyncDispose]: async () => {} });
  return { one, other };
}

/** How many lists the server has been asked for since it started. */
async function listsAt(server: PostgresServer): Promise<number> {
  const rows = await server.run<{ reads: string }>(
    "SELECT coalesce(sum(idx_scan), 0) AS reads FROM pg_stat_all_tables WHERE relname = 'pets'",
  );
  return Number(rows[0]?.reads);
}

async function create({ client }: TestService): Promise<number> {
  const { status, json } = await client.call("/v1/pets", { body: rex });
  expect(status).toBe(201);
  return (json as { id: number }).id;
}

describe("a standby that is synchronous", () => {
  test("serves reads, and shows through any instance what was just saved through another", async () => {
    const pair = await PostgresServer.startPair();
    await using primary = pair.primary;
    await using standby = pair.standby;
    const { one, other } = await startInstances({ primary, standby });
    await using _one = one;
    await using _other = other;
    const before = await listsAt(standby);
    for (let turn = 0; turn < 200; turn++) {
      const id = await create(turn % 2 ? one : other);
      const reader = turn % 3 ? one : other;
      expect((await reader.client.call(`/v1/pets?id=${id}`)).json).toMatchObject([{ id }]);
    }
    while ((await listsAt(standby)) < before + 100) await one.client.call("/v1/pets?limit=1");
  });

  test("and is lost, frozen or dead, costs no read an error; it is used again when it is back", async () => {
    const pair = await PostgresServer.startPair();
    await using primary = pair.primary;
    await using standby = pair.standby;
    const { one, other } = await startInstances({ primary, standby });
    await using _one = one;
    await using _other = other;
    const id = await create(one);
    const readFor = async (count: number) => {
      for (let turn = 0; turn < count; turn++) {
        const answers = await Promise.all([one, other].map(({ client }) => client.call(`/v1/pets?id=${id}`)));
        for (const { status, json } of answers) expect({ status, json }).toMatchObject({ status: 200, json: [{ id }] });
      }
    };
    await readFor(50);
    standby.signalAll("SIGSTOP");
    await readFor(50);
    standby.signalAll("SIGCONT");
    await readFor(50);
    await standby.kill();
    await readFor(50);
    // Commits wait for a standby that is gone until the operator says that they need not.
    await primary.run("ALTER SYSTEM SET synchronous_standby_names = ''");
    await primary.run("SELECT pg_reload_conf()");
    await create(other);
    await readFor(10);
    await standby.start();
    await primary.run("ALTER SYSTEM RESET synchronous_standby_names");
    await primary.run("SELECT pg_reload_conf()");
    const before = await listsAt(standby);
    while ((await listsAt(standby)) < before + 10) await readFor(5);
  });
});

test("while the primary is lost, reads by a stored key go on from its standby", async () => {
  const pair = await PostgresServer.startPair();
  await using primary = pair.primary;
  await using standby = pair.standby;
  const database = databaseOn(primary.url);
  const address = { ...database.address, replicas: [standby.url] } as typeof database.address;
  let elapsed = 0;
  const parts = { stopwatch: () => elapsed };
  await using service = await startServiceOn({ ...database, address, [Symbol.asyncDispose]: async () => {} }, parts);
  const { key } = await addKey(service.store, { scope: "write" });
  const id = await create(service);
  const read = async () => {
    // Long enough for nothing to be remembered of the key.
    elapsed += 60_000;
    const { status, json } = await service.client.call(`/v1/pets?id=${id}`, { key });
    expect({ status, json }).toMatchObject({ status: 200, json: [{ id }] });
  };
  await primary.kill();
  for (let turn = 0; turn < 100; turn++) await read();
  expect((await service.client.call("/v1/pets", { key, body: rex })).status).toBe(503);
  for (let turn = 0; turn < 100; turn++) await read();
});

test("replicas are refused when the primary waits for none", async () => {
  const { url } = await sharedPostgres();
  const database = databaseOn(url);
  const address = { ...database.address, replicas: [url] } as typeof database.address;
  const error = await startServiceOn({ ...database, address }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreOpenError);
  expect((error as Error).message).toStartWith("--replica needs synchronous_standby_names to be set on the primary");
  await database[Symbol.asyncDispose]();
});
