import { describe, expect, test } from "bun:test";
import { holdWrites, watchMetrics } from "../support/metrics.ts";
import type { Scrape } from "../support/prometheus.ts";
import { startService } from "../support/service.ts";

const rex = { name: "Rex", categoryId: 7 };

describe("of SQLite", () => {
  test("pages are counted by whether they came from memory", async () => {
    await using service = await startService({}, "sqlite");
    await using watched = watchMetrics(service);
    const figures = async () => {
      const scrape = await watched.scrape();
      return [
        scrape.value("animal_store_page_cache_reads_total", { result: "hit" }),
        scrape.value("animal_store_page_cache_reads_total", { result: "miss" }),
        scrape.value("animal_store_page_cache_bytes") > 0,
      ];
    };
    expect(await figures()).toEqual([0, 0, false]);
    await service.client.call("/v1/pets");
    expect(await figures()).toEqual([0, 1, false]);
    await service.client.call("/v1/pets");
    expect(await figures()).toEqual([0, 2, true]);
    await service.client.call("/v1/pets");
    expect(await figures()).toEqual([1, 2, true]);
  });

  test("the files of the database have their sizes", async () => {
    await using service = await startService({}, "sqlite");
    await using watched = watchMetrics(service);
    const size = async (file: string) => (await watched.scrape()).value("animal_store_sqlite_file_bytes", { file });
    expect(await size("database")).toBeGreaterThan(0);
    const before = await size("wal");
    await service.client.call("/v1/pets", { body: rex });
    expect(await size("wal")).toBeGreaterThan(before);
  });
});

describe("of PostgreSQL", () => {
  test("connections are counted while they are in use, and those who wait for one", async () => {
    await using service = await startService({}, "postgres");
    await using watched = watchMetrics(service);
    const created = await Promise.all(Array.from({ length: 8 }, () => service.client.call("/v1/pets", { body: rex })));
    const release = await holdWrites(service.database);
    const changes = created.map(({ json }) =>
      service.client.call(`/v1/pets/${(json as { id: number }).id}`, { method: "PATCH", body: { name: "Max" } }),
    );
    // Of five connections, two are for writes.
    const busy = await watched.until((scrape) => scrape.value("animal_store_pool_waiting", { pool: "writes" }) >= 6);
    expect(busy.value("animal_store_pool_connections_in_use", { pool: "writes" })).toBe(2);
    await release();
    await Promise.all(changes);
    const idle = await watched.until((scrape) => scrape.value("animal_store_pool_connections_in_use") === 0);
    expect(idle.value("animal_store_pool_waiting")).toBe(0);
  });

  test("pools that were left for a new one are counted", async () => {
    await using service = await startService({}, "postgres");
    await using watched = watchMetrics(service);
    const left = (scrape: Scrape) => scrape.value("animal_store_pools_left_total", { pool: "reads" });
    const before = left(await watched.scrape());
    await service.database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'animal-store'",
    );
    await watched.until((scrape) => left(scrape) > before);
  });
});
