import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { databaseOn } from "../support/database.ts";
import { holdWrites, watchMetrics } from "../support/metrics.ts";
import { PostgresServer } from "../support/postgres.ts";
import type { Scrape } from "../support/prometheus.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";

const rex = { name: "Rex", categoryId: 7 };

test("hits and misses of the page cache are counted", async () => {
  await using service = await startService({}, "sqlite");
  await using watched = watchMetrics(service);
  const readFigures = async () => {
    const scrape = await watched.scrape();
    return [
      scrape.value("animal_store_page_cache_reads_total", { result: "hit" }),
      scrape.value("animal_store_page_cache_reads_total", { result: "miss" }),
      scrape.value("animal_store_page_cache_bytes") > 0,
    ];
  };
  expect(await readFigures()).toEqual([0, 0, false]);
  await service.client.call("/v1/pets");
  expect(await readFigures()).toEqual([0, 1, false]);
  await service.client.call("/v1/pets");
  expect(await readFigures()).toEqual([0, 2, true]);
  await service.client.call("/v1/pets");
  expect(await readFigures()).toEqual([1, 2, true]);
});

test("the sizes of a SQLite database's files are measured", async () => {
  await using service = await startService({}, "sqlite");
  await using watched = watchMetrics(service);
  const readSize = async (file: string) => (await watched.scrape()).value("animal_store_sqlite_file_bytes", { file });
  expect(await readSize("database")).toBeGreaterThan(0);
  const before = await readSize("wal");
  await service.client.call("/v1/pets", { body: rex });
  expect(await readSize("wal")).toBeGreaterThan(before);
});

test("all idempotency records are counted, including records of the same millisecond", async () => {
  await using service = await startService({ tidyEveryMs: 1_000_000_000 }, "sqlite");
  const insert = (count: number, createdAt: string) =>
    service.database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       INSERT INTO claims (name, fingerprint, conclusion, created_at, line)
       SELECT randomblob(32), x'00', '{}', ${createdAt}, 1 FROM numbers`,
    );
  await insert(7_000, "1");
  await insert(6_001, "n");
  await insert(12_345, String(Date.now()));
  await using watched = watchMetrics(service);
  const scrape = await watched.scrape();
  expect(scrape.value("animal_store_claims", { state: "expired" })).toBe(13_001);
  expect(scrape.value("animal_store_claims", { state: "kept" })).toBe(12_345);
});

test("used connections to PostgreSQL, and requests that wait for a connection, are counted", async () => {
  await using service = await startService({}, "postgres");
  await using watched = watchMetrics(service);
  const created = await Promise.all(Array.from({ length: 8 }, () => service.client.call("/v1/pets", { body: rex })));
  await using held = await holdWrites(service.database);
  const changes = created.map(({ json }) =>
    service.client.call(`/v1/pets/${(json as { id: number }).id}`, { method: "PATCH", body: { name: "Max" } }),
  );
  // Two of the four connections are for writes.
  const busy = await watched.until((scrape) => scrape.value("animal_store_pool_waiting", { pool: "writes" }) >= 6);
  expect(busy.value("animal_store_pool_connections_in_use", { pool: "writes" })).toBe(2);
  await held.release();
  await Promise.all(changes);
  const idle = await watched.until((scrape) => scrape.value("animal_store_pool_connections_in_use") === 0);
  expect(idle.value("animal_store_pool_waiting")).toBe(0);
});

test("replaced pools of connections to PostgreSQL are counted", async () => {
  await using service = await startService({}, "postgres");
  await using watched = watchMetrics(service);
  const left = (scrape: Scrape) => scrape.value("animal_store_pools_left_total", { pool: "reads" });
  const before = left(await watched.scrape());
  await service.database.run(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'animal-store %'",
  );
  await watched.until((scrape) => left(scrape) > before);
});

describe("metrics show the state of a primary and its standby", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let service: TestService;

  beforeAll(async () => {
    ({ primary, standby } = await PostgresServer.startPair());
    const database = databaseOn(primary.url);
    // The replicas include the primary, because each server may become the primary.
    const address = { ...(database.address as PostgresAddress), replicas: [standby.url, primary.url] };
    service = await startServiceOn({ ...database, address, [Symbol.asyncDispose]: async () => {} });
  });

  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    for (const server of [primary, standby]) await server?.[Symbol.asyncDispose]();
  });

  test("the metrics count the primary and the trusted standby, until the standby is lost", async () => {
    await using watched = watchMetrics(service);
    const states = (scrape: Scrape) =>
      ["trusted", "untrusted", "primary", "lost"].map((state) => scrape.value("animal_store_standbys", { state }));
    await watched.until((scrape) => Bun.deepEquals(states(scrape), [1, 0, 1, 0]));
    await primary.set({ synchronous_standby_names: "" });
    await watched.until((scrape) => Bun.deepEquals(states(scrape), [0, 1, 1, 0]));
    await standby.stop();
    const lost = await watched.until((scrape) => Bun.deepEquals(states(scrape), [0, 0, 1, 1]));
    expect(lost.find("animal_store_standby_replay_lag_bytes")).toEqual([]);
    await standby.start();
    await primary.set({ synchronous_standby_names: "FIRST 1 (standby)" });
    await watched.until((scrape) => Bun.deepEquals(states(scrape), [1, 0, 1, 0]));
  });

  test("the lag of the standby is measured in bytes", async () => {
    await using watched = watchMetrics(service);
    const server = `127.0.0.1:${standby.port}`;
    const lag = (scrape: Scrape) => scrape.find("animal_store_standby_replay_lag_bytes", { server })[0]?.value;
    await watched.until((scrape) => lag(scrape) === 0);
    {
      await standby.run("SELECT pg_wal_replay_pause()");
      await using paused = new AsyncDisposableStack();
      paused.defer(async () => void (await standby.run("SELECT pg_wal_replay_resume()")));
      await primary.run("SET synchronous_commit = local; CREATE TABLE more AS SELECT * FROM generate_series(1, 10000)");
      await watched.until((scrape) => (lag(scrape) ?? 0) > 100_000);
    }
    await watched.until((scrape) => lag(scrape) === 0);
  });

  test("readiness for reads and for writes is measured", async () => {
    await using watched = watchMetrics(service);
    const ready = (scrape: Scrape) => ["reads", "writes"].map((kind) => scrape.value("animal_store_ready", { kind }));
    await watched.until((scrape) => Bun.deepEquals(ready(scrape), [1, 1]));
    // Commits wait for the standby; reads do not need it.
    await standby.stop();
    await watched.until((scrape) => Bun.deepEquals(ready(scrape), [1, 0]));
    await primary.stop();
    await watched.until((scrape) => Bun.deepEquals(ready(scrape), [0, 0]));
    await primary.start();
    await standby.start();
    await watched.until((scrape) => Bun.deepEquals(ready(scrape), [1, 1]));
  });
});
