import { expect, test } from "bun:test";
import { SQL } from "bun";
import { ServiceError } from "../../src/domain/errors.ts";
import { Expiry } from "../../src/store/expiry.ts";
import { defaultIdempotencyLimits, IdempotencyQuota } from "../../src/store/idempotency-quota.ts";
import { openStore } from "../../src/store/open-store.ts";
import { transactOnce } from "../../src/store/postgres/idempotency.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { makeDatabase, sharedPostgres } from "../support/database.ts";
import { until } from "../support/wait.ts";

test("soon after the deadline of a transaction whose machine was lost, PostgreSQL ends the transaction and releases the locks", async () => {
  await using database = await makeDatabase("postgres");
  if (database.address.kind !== "postgres") throw new Error("This needs PostgreSQL.");
  const connection = new Connection({ ...database.address, poolSize: 1, role: "primary", note: () => {} });
  const settingQuery = "SELECT current_setting('idle_in_transaction_session_timeout') AS value";
  const [within] = await connection.transaction((query) => query(settingQuery));
  expect(within).toEqual({ value: "8s" });
  // The setting must not outlive the transaction: a pooler may give the session to another client.
  const [after] = await connection.query(settingQuery);
  expect(after).not.toEqual({ value: "8s" });
  await connection.close();
});

test("an idempotent write that changes something and is then refused is rolled back", async () => {
  await using database = await makeDatabase("postgres");
  if (database.address.kind !== "postgres") throw new Error("This needs PostgreSQL.");
  const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
  const connection = new Connection({ ...database.address, poolSize: 1, role: "primary", note: () => {} });
  const quota = new IdempotencyQuota(defaultIdempotencyLimits, 1);
  const perform = transactOnce(connection, record, quota, new Expiry(() => {}));
  const refused = perform(async (query) => {
    await query(`INSERT INTO ${query.schema}.categories (id, name) VALUES (1, 'Dogs')`);
    throw new ServiceError("Conflict", "It was too late to refuse.");
  });
  await expect(refused).rejects.toThrow("Something went wrong in the service.");
  expect((await store.categories.list({}, { limit: 10 })).items).toEqual([]);
  await connection.close();
  await store.close();
});

/** Opens two stores in different schemas of one database, and a session of another program. */
async function openNeighbours() {
  const { url } = await sharedPostgres();
  const one = await openStoreInNewSchema();
  const other = await openStoreInNewSchema();
  const session = new SQL({ url, max: 1 });
  return {
    one,
    other,
    session,
    async [Symbol.asyncDispose]() {
      await session.close();
      await one[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

async function openStoreInNewSchema() {
  const database = await makeDatabase("postgres");
  if (database.address.kind !== "postgres") throw new Error("This needs PostgreSQL.");
  const { schema } = database.address;
  const store = await openStore(database.address, { poolSize: 4, onDeath: () => {} });
  const connection = new Connection({ ...database.address, poolSize: 2, role: "primary", note: () => {} });
  return {
    schema,
    store,
    once: (work: () => Promise<void>) =>
      transactOnce(connection, record, new IdempotencyQuota(defaultIdempotencyLimits, 1), new Expiry(() => {}))(work),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const record = {
  name: Buffer.alloc(32, 1),
  fingerprint: Buffer.alloc(32, 2),
  family: 1,
  at: Date.now(),
  onReplay() {},
};

test("a request in progress blocks its idempotency key in the same store and for version 1.0.0, but not in another store", async () => {
  await using stores = await openNeighbours();
  const lockQuery = `SELECT pg_try_advisory_xact_lock(${record.name.readBigInt64BE()}) AS "isOurs"`;
  await stores.one.once(async () => {
    await expect(stores.one.once(async () => {})).rejects.toThrow("still in progress");
    expect([...(await stores.session.unsafe(lockQuery))]).toEqual([{ isOurs: false }]);
    await stores.other.once(async () => {});
  });
  const { session } = stores;
  const another = { ...record, name: Buffer.alloc(32, 3) };
  await session.unsafe(`BEGIN; SELECT pg_advisory_xact_lock(${another.name.readBigInt64BE()})`);
  const pet = { name: "Rex", categoryId: 1, status: "available" } as const;
  await expect(stores.one.store.withIdempotency(another).pets.create(pet)).rejects.toThrow("still in progress");
  await session.unsafe("ROLLBACK");
  expect(await stores.one.store.withIdempotency(another).pets.create(pet)).toMatchObject(pet);
});

test("a change to a category waits for other changes in the same store and by version 1.0.0, but not for changes in another store", async () => {
  await using stores = await openNeighbours();
  const { session, one, other } = stores;
  const { url } = await sharedPostgres();
  await using observer = new SQL({ url, max: 1 });
  const untilWaitsFor = (condition: string) =>
    until(async () => (await observer.unsafe(`SELECT 1 FROM pg_locks WHERE NOT granted AND ${condition}`)).length > 0);
  const put = ({ store }: typeof one) => store.categories.put({ id: 7, name: "Dogs" }, undefined);
  await session.unsafe(`BEGIN; LOCK TABLE ${one.schema}.categories IN EXCLUSIVE MODE`);
  const first = put(one);
  await untilWaitsFor(`relation = '${one.schema}.categories'::regclass`);
  expect(await put(other)).toBe(true);
  const second = put(one);
  await untilWaitsFor("locktype = 'advisory'");
  await session.unsafe("COMMIT");
  expect([await first, await second]).toEqual([true, false]);
  await session.unsafe("BEGIN; SELECT pg_advisory_xact_lock(hashtext('categories'), hashtext('7'))");
  const third = put(one);
  await untilWaitsFor("locktype = 'advisory'");
  await session.unsafe("COMMIT");
  expect(await third).toBe(false);
});
