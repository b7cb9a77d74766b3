import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { generateKey, hashKey } from "../../src/domain/key-secret.ts";
import { maxWebhooks, type Webhook } from "../../src/domain/webhook.ts";
import { openStore, planMigration } from "../../src/store/open-store.ts";
import { migrations } from "../../src/store/postgres/schema/migrations.ts";
import {
  type KeyStore,
  type Store,
  StoreOpenError,
  type WebhookLease,
  type WebhookProgress,
} from "../../src/store/store.ts";
import { opensslSkipReason, testUnless } from "../support/conditional-test.ts";
import { makeDatabase, sharedPostgres, type TestDatabase } from "../support/database.ts";
import { PostgresServer } from "../support/postgres.ts";
import { startServiceOn } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";
import { describeStore } from "./store-contract.ts";

const it = testWith(() => makeDatabase("postgres"));

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

describeStore("postgres");

const open = ({ address }: TestDatabase) => openStore(address, { poolSize: 5, onDeath: () => {} });

it("ten instances that start at once create and share one schema", async (database) => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => open(database)));
  const created = await Promise.all(stores.map(({ pets }) => pets.create(rex)));
  expect(new Set(created.map(({ id }) => id)).size).toBe(10);
  await Promise.all(stores.map((store) => store.close()));
});

it("a PostgreSQL database of a newer program is refused", async (database) => {
  await (await open(database)).close();
  await database.run("INSERT INTO migrations (version, name) VALUES (99, 'from the future')");
  for (const attempt of [() => open(database), () => planMigration(database.address)]) {
    await expect(attempt()).rejects.toThrow(
      `was written by a newer version of animal-store (its schema is 99 and needs a program for schema 99 or later; this one is for ${migrations.length}). Use that version.`,
    );
  }
});

test.each([
  ["127.0.0.1:1", "ERR_POSTGRES_CONNECTION_REFUSED: Failed to connect"],
  // For a host name that has no address, the driver reports a refused connection; the program reports that the host does not exist.
  ["nowhere.invalid", "ENOTFOUND: there is no such host"],
])(
  "a PostgreSQL database that cannot be reached at %s is reported in one line, without its password",
  async (host, reason) => {
    const url = `postgres://me:secret@${host}/nowhere`;
    const error = await openStore(
      { kind: "postgres", urls: [url], schema: "x", replicas: [] },
      { poolSize: 1, onDeath: () => {} },
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreOpenError);
    expect((error as Error).message).toBe(
      `The PostgreSQL database cannot be used: ${host}: ${reason}. Make sure that the server is running, can be reached from here and has connections left, then try again.`,
    );
  },
);

const rowsOf = async ({ address }: TestDatabase, statement: string) => {
  const { urls, schema } = address as PostgresAddress;
  await using sql = new SQL({ url: urls[0], max: 1, connection: { search_path: schema } });
  return [...(await sql.unsafe(statement))];
};

it("stored uses of request quotas are deleted once they no longer count", async (database) => {
  const store = await open(database);
  const use = (key: number, at: number) => {
    const cutoff = at - 1_000;
    return store.quotas?.exchange({ key, process: "a", uses: [], wanted: 5, reservedUntil: at, limit: 10, cutoff });
  };
  await use(1, 1_000);
  await use(2, 2_000);
  await store.deleteExpired(2_000);
  const stored = await rowsOf(database, "SELECT key::int, expires_at::int AS expires FROM quota_uses");
  expect(stored).toEqual([{ key: 2, expires: 3_000 }]);
  await store.close();
});

it("many inventory changes are replaced by their sums", async (database) => {
  const store = await open(database);
  await store.pets.createAll(Array.from({ length: 300 }, () => rex));
  await database.run("INSERT INTO inventory_changes (status, change) SELECT 'sold', 1 FROM generate_series(1, 300)");
  await store.deleteExpired(Date.now());
  const changesQuery = "SELECT status, change::int AS change FROM inventory_changes ORDER BY status";
  expect(await rowsOf(database, changesQuery)).toEqual([
    { status: "available", change: 300 },
    { status: "sold", change: 300 },
  ]);
  expect(await store.inventory()).toEqual({ available: 300, pending: 0, sold: 300 });
  await store.close();
});

test("a PostgreSQL database can be reached through a Unix socket", async () => {
  const { socketFolder, port } = await sharedPostgres();
  await using database = await makeDatabase("postgres");
  const { schema } = database.address as { schema: string };
  const url = `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(socketFolder)}`;
  const store = await openStore(
    { kind: "postgres", urls: [url], schema, replicas: [] },
    { poolSize: 1, onDeath: () => {} },
  );
  expect(await store.pets.create(rex)).toMatchObject({ id: 1 });
  await store.close();
});

testUnless(
  opensslSkipReason(),
  "a PostgreSQL database is reached with TLS and the right password, and otherwise reported as unusable",
  async () => {
    await using server = await PostgresServer.startWithTls();
    const tryToOpen = (password: string, parameters: string) => {
      const url = `postgres://clerk:${password}@127.0.0.1:${server.port}/postgres?${parameters}`;
      const address = { kind: "postgres", urls: [url], schema: "animal_store", replicas: [] } as const;
      return openStore(address, { poolSize: 2, onDeath: () => {} }).catch((error: Error) => error);
    };
    const root = `sslmode=verify-full&sslrootcert=${encodeURIComponent(server.certificate)}`;
    for (const parameters of ["sslmode=require", root]) {
      const store = await tryToOpen("secret", parameters);
      if (store instanceof Error) throw store;
      expect(await store.pets.create(rex)).toMatchObject(rex);
      await store.close();
    }
    for (const [password, parameters] of [
      ["wrong", "sslmode=require"],
      ["secret", "sslmode=disable"],
      ["secret", "sslmode=verify-full"],
    ] as const) {
      const error = await tryToOpen(password, parameters);
      expect(error).toBeInstanceOf(StoreOpenError);
      expect((error as Error).message).toStartWith("The PostgreSQL database cannot be used: ");
      expect((error as Error).message).not.toContain("secret");
    }
  },
);

test("a walk through all pages shows every animal that was committed before the walk, although ids are not in commit order", async () => {
  const database = await makeDatabase("postgres");
  await using service = await startServiceOn(database);
  const { url } = await sharedPostgres();
  const { schema } = database.address as { schema: string };
  await using slow = new SQL({ url, max: 1, connection: { search_path: schema } });
  const insertStatement = "INSERT INTO pets (name, category_id, status) VALUES ('Slow', 1, 'available')";
  // The slow transaction takes the ids 1 and 4, and commits while the walk is between these ids.
  await slow.unsafe(`BEGIN; ${insertStatement}`);
  await service.client.call("/v1/pets", { body: rex });
  await service.client.call("/v1/pets", { body: rex });
  await slow.unsafe(insertStatement);
  await service.client.call("/v1/pets", { body: rex });
  const seen: number[] = [];
  let pageCount = 0;
  for await (const { id } of service.client.walk("/v1/pets?limit=1", async () => {
    if (pageCount++ === 1) await slow.unsafe("COMMIT");
  })) {
    seen.push(id);
  }
  // 2, 3 and 5 existed when the walk began. 4 was committed before the walk reached it, and 1 after the walk had passed it.
  expect(seen).toEqual([2, 3, 4, 5]);
});

test.each(["completed", "cancelled"] as const)(
  "closing an order is refused if another session has closed the order (%s) and deleted its animal",
  async (status) => {
    await using database = await makeDatabase("postgres");
    const store = await open(database);
    const { url } = await sharedPostgres();
    const { schema } = database.address as { schema: string };
    await using other = new SQL({ url, max: 1, connection: { search_path: schema } });
    try {
      const pet = await store.pets.create(rex);
      const order = await store.orders.place({ petId: pet.id }, 1);
      await other.unsafe(`BEGIN; UPDATE orders SET status = 'cancelled'; DELETE FROM pets`);
      const [{ pid }] = await other.unsafe("SELECT pg_backend_pid() AS pid");
      const closing = store.orders.close(order.id, status, 2).catch((error: unknown) => error);
      const waitingQuery = `SELECT 1 FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`;
      await until(async () => (await other.unsafe(waitingQuery)).length > 0);
      await other.unsafe("COMMIT");
      expect(await closing).toMatchObject({
        code: "Conflict",
        message: "Order 1 is already cancelled. Only an open order can be completed or cancelled.",
      });
    } finally {
      await store.close();
    }
  },
);

const admin = { name: "boss", scope: "admin", createdAt: 1_000, expiresAt: null } as const;
const rotation = { at: 2_000, retiresAt: 3_000, expiresAt: 4_000, keepLastAdmin: true };
const newSecret = () => ({ hash: hashKey(generateKey()) });

test.each<[string, number, (keys: KeyStore, id: number) => Promise<unknown>]>([
  ["two concurrent revocations leave one of two admin keys", 2, (keys, id) => keys.revoke(id, 2_000, true)],
  [
    "two concurrent rotations leave one of two admin keys without expiry",
    2,
    (keys, id) => keys.rotate(id, rotation, newSecret()),
  ],
  ["two concurrent requests for the first key create only one key", 0, (keys) => keys.createFirst(admin, newSecret())],
])("%s", async (_, count, change) => {
  await using database = await makeDatabase("postgres");
  const { urls, schema } = database.address as PostgresAddress;
  // The deadline is long enough for a slow machine.
  const options = { poolSize: 4, limitMilliseconds: 120_000, onDeath: () => {} };
  const stores = [await openStore(database.address, options), await openStore(database.address, options)] as const;
  const ids: number[] = [];
  for (let index = 0; index < count; index++) ids.push((await stores[0].keys.create(admin, newSecret())).id);
  await using sql = new SQL(urls[0] ?? "", { max: 2 });
  const holder = await sql.reserve();
  // The lock keeps changes of API keys from being logged and committed, so that both transactions are open at once.
  await holder.unsafe(`BEGIN; LOCK TABLE "${schema}".event_inbox IN SHARE MODE`);
  const changing = Promise.allSettled(stores.map(({ keys }, index) => change(keys, ids[index] ?? 0)));
  const waitingQuery = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}".keys%'`;
  await until(async () => (await sql.unsafe(waitingQuery)).length === 2);
  await holder.unsafe("COMMIT");
  holder.release();
  const outcomes = await changing;
  const successes = outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value !== undefined);
  expect(successes).toHaveLength(1);
  for (const store of stores) await store.close();
});

it("instances that create webhooks at once do not exceed the maximum number", async (database) => {
  const [one, other] = await Promise.all([open(database), open(database)]);
  const create = ({ webhooks }: Store) =>
    webhooks.create(
      { url: "https://shop.example/hooks", types: "pet.created", description: null, createdAt: 1_000 },
      { sealed: "sealed" },
      undefined,
    );
  for (let count = 1; count < maxWebhooks; count++) await create(one);
  for (let round = 0; round < 5; round++) {
    const created = await Promise.allSettled(Array.from({ length: 10 }, () => [create(one), create(other)]).flat());
    const [first, ...more] = created.filter(({ status }) => status === "fulfilled");
    expect(more).toEqual([]);
    await one.webhooks.delete((first as PromiseFulfilledResult<Webhook>).value.id, undefined);
  }
  await Promise.all([one.close(), other.close()]);
});

it("requests can write while saving the progress of a webhook waits for a lock", async (database) => {
  const { urls, schema } = database.address as { urls: readonly string[]; schema: string };
  const store = await openStore(database.address, { poolSize: 2, limitMilliseconds: 120_000, onDeath: () => {} });
  const [lease] = (await leaseWebhooks(store, 1)) as [WebhookLease];
  const other = new SQL(urls[0] ?? "", { max: 1 });
  const holder = await other.reserve();
  await holder.unsafe(`BEGIN; LOCK TABLE "${schema}".webhook_parked IN EXCLUSIVE MODE`);
  const saving = store.webhooks.saveProgress(lease, progressTo(1));
  // Requests have one connection for writes, which the progress must not use.
  await store.categories.put({ id: 1, name: "Dogs" }, undefined);
  await holder.unsafe("COMMIT");
  expect(await saving).toBe(true);
  expect(await store.webhooks.listParked(lease.id)).toEqual(progressTo(1).parked);
  holder.release();
  await other.close();
  await store.close();
});

it("each webhook keeps its own concurrently saved progress, even if saving the progress of another webhook fails", async (database) => {
  const store = await open(database);
  const leases = await leaseWebhooks(store, 4);
  const [first, second, third, fourth] = leases as [WebhookLease, WebhookLease, WebhookLease, WebhookLease];
  const { webhooks } = store;
  const impossible = { ...progressTo(1), parked: [{ position: 1, subject: "\0", attempts: 1, nextAt: 1 }] };
  // The first progress is saved alone, and the following ones are saved together.
  const expected = [true, true, "rejected" as const, false, true, true];
  const outcomes = await Promise.allSettled([
    webhooks.saveProgress(fourth, { ...progressTo(1), disabled: { reason: "gone", at: 5_000 } }),
    webhooks.saveProgress(first, progressTo(1)),
    webhooks.saveProgress(second, impossible),
    webhooks.saveProgress({ ...third, owner: "another" }, progressTo(9)),
    webhooks.saveProgress(first, { ...progressTo(2), unparked: [1] }),
    webhooks.saveProgress(third, progressTo(3)),
  ]);
  expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.status))).toEqual(
    expected,
  );
  const parked = await Promise.all(leases.map(async ({ id }) => await webhooks.listParked(id)));
  expect(parked.map((some) => some.map(({ position }) => position))).toEqual([[2], [], [3], [1]]);
  expect((await webhooks.get(fourth.id))?.disabledReason).toBe("gone");
  await store.close();
});

test("writes and key revocations of one instance take effect in another instance", async () => {
  const database = await makeDatabase("postgres");
  await using one = await startServiceOn(database);
  let elapsedMs = 0;
  const parts = { stopwatch: () => elapsedMs };
  await using other = await startServiceOn({ ...database, [Symbol.asyncDispose]: async () => {} }, parts);
  const { headers } = await one.client.call("/v1/pets", { body: rex });
  const location = headers.get("location") ?? "";
  expect((await other.client.call(location)).headers.get("etag")).toBe(headers.get("etag"));

  const key = generateKey();
  const newKey = { name: "till", scope: "read", createdAt: Date.now(), expiresAt: null } as const;
  const { id } = await one.store.keys.create(newKey, { hash: hashKey(key) });
  expect((await other.client.call("/v1/pets", { key })).status).toBe(200);
  await one.store.keys.revoke(id, Date.now(), false);
  elapsedMs += 1000;
  expect((await other.client.call("/v1/pets", { key })).status).toBe(401);
});

async function leaseWebhooks({ webhooks }: Store, count: number): Promise<WebhookLease[]> {
  const webhook = { url: "https://shop.example/hooks", types: "", description: null, createdAt: 1_000 };
  for (let index = 0; index < count; index++) await webhooks.create(webhook, { sealed: "sealed" }, undefined);
  const leased = await webhooks.acquireLeases("one", 10_000, 20_000, []);
  return leased.map(({ id, revision }) => ({ id, owner: "one", revision })).sort((one, other) => one.id - other.id);
}

function progressTo(position: number): WebhookProgress {
  const parked = [{ position, subject: "pets/1", attempts: 1, nextAt: 60_000 }];
  return { reached: { position, id: `evt_${position}` }, parked, unparked: [], deliveries: [], failingSince: null };
}
