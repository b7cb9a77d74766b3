import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { generateKey } from "../../src/domain/key-secret.ts";
import { operations } from "../../src/operations/index.ts";
import { engine, makeDatabase } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { holdWrites, watchMetrics } from "../support/metrics.ts";
import { parseScrape, type Scrape } from "../support/prometheus.ts";
import { RawConnection } from "../support/raw.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";
import { StalledConnection } from "../support/stalled.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const it = testWith(() => startService());

const rex = { name: "Rex", categoryId: 7 };

it("/metrics needs a key, with any scope", async ({ client, store }) => {
  const { key } = await addKey(store, { name: "prometheus", scope: "read" });
  const response = await client.call("/metrics", { key });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(parseScrape(response.text).value("animal_store_build_info")).toBe(1);
  expect((await client.call("/metrics", { method: "HEAD", key })).text).toBe("");
  expect((await client.call("/metrics", { key: null })).status).toBe(401);
  expect((await client.call("/metrics", { key: "ask_wrong" })).status).toBe(401);
  const refused = await client.call("/metrics", { method: "DELETE", key });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("/metrics is missing if metrics have a port of their own, which serves nothing else", async () => {
  await using service = await startService({ servesMetrics: false });
  expect((await service.client.call("/metrics")).status).toBe(404);
  await using watched = watchMetrics(service);
  const bytes = async (path: string) => (await watched.client.bytes(path, {})).bytes.toString();
  expect(parseScrape(await bytes("/metrics")).value("animal_store_build_info")).toBe(1);
  expect(await bytes("/v1/pets")).toBe("The metrics are at /metrics.\n");
  for (const [method, expected] of [
    ["HEAD", /^HTTP\/1\.1 200 /],
    ["POST", /^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD\r\n/i],
  ] as const) {
    using connection = new RawConnection(watched.client.url);
    connection.send(`${method} /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(await connection.untilClosed()).toMatch(expected);
  }
  for (const [method, lengths] of [
    ["GET", "Content-Length: 9"],
    ["POST", "Content-Length: 9"],
    ["POST", "Content-Length: 9\r\nContent-Length: 9"],
  ]) {
    using connection = new RawConnection(watched.client.url);
    connection.send(`${method} /metrics HTTP/1.1\r\nHost: a\r\n${lengths}\r\n\r\nx`);
    expect(await connection.untilClosed()).toMatch(/^connection: close\r$/im);
  }
});

it("metrics count responses by operation and status, with their duration", async (service) => {
  const { client } = service;
  await using watched = watchMetrics(service);
  const counts = (scrape: Scrape, operation: string, status: string) => [
    scrape.find("animal_store_requests_total", { operation, status })[0]?.value ?? 0,
    scrape.find("animal_store_request_duration_seconds_count", { operation })[0]?.value ?? 0,
  ];
  for (const [operation, status, call] of [
    ["listPets", "200", () => client.call("/v1/pets")],
    ["listPets", "400", () => client.call("/v1/pets?limit=0")],
    ["createPet", "201", () => client.call("/v1/pets", { body: rex })],
    ["getPet", "404", () => client.call("/v1/pets/99")],
    ["none", "404", () => client.call("/nothing")],
    ["none", "401", () => client.call("/v1/pets", { key: null })],
    ["none", "405", () => client.call("/v1/pets", { method: "DELETE" })],
    ["public", "200", () => client.call("/healthz")],
    ["metrics", "200", () => client.call("/metrics")],
  ] as const) {
    // Makes the test client fetch the OpenAPI document now, so that the fetch is not counted below.
    await client.call("/healthz");
    const [count = 0, timed = 0] = counts(await watched.scrape(), operation, status);
    await call();
    expect([operation, status, ...counts(await watched.scrape(), operation, status)]).toEqual([
      operation,
      status,
      count + 1,
      timed + 1,
    ]);
  }
  const scrape = await watched.scrape();
  const bounds = scrape
    .find("animal_store_request_duration_seconds_bucket", { operation: "listPets" })
    .map(({ labels }) => labels["le"]);
  expect(bounds.slice(0, 4)).toEqual(["0.0001", "0.00025", "0.0005", "0.001"]);
  expect(bounds.slice(-2)).toEqual(["10", "+Inf"]);
  expect(scrape.value("animal_store_request_duration_seconds_sum", { operation: "listPets" })).toBeGreaterThan(0);
});

it("metrics count the requests in progress", async (service) => {
  await using watched = watchMetrics(service);
  expect((await watched.scrape()).value("animal_store_requests_in_flight")).toBe(0);
  using connection = new RawConnection(service.client.url);
  connection.send(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.client.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  await watched.until((scrape) => scrape.value("animal_store_requests_in_flight") === 1);
  connection[Symbol.dispose]();
  await watched.until((scrape) => scrape.value("animal_store_requests_in_flight") === 0);
});

it("metrics count bodies in bytes, not in characters", async (service) => {
  await using watched = watchMetrics(service);
  const body = JSON.stringify({ name: "Füchsin 🦊", categoryId: 7 });
  const { text } = await service.client.call("/v1/pets", { body });
  const chunked = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(body));
      controller.close();
    },
  });
  await service.client.call("/v1/pets", { body: chunked });
  const scrape = await watched.scrape();
  const operation = "createPet";
  expect(scrape.value("animal_store_request_bytes_total", { operation })).toBe(2 * Buffer.byteLength(body));
  expect(scrape.value("animal_store_response_bytes_total", { operation })).toBe(2 * Buffer.byteLength(text));
  const list = await service.client.call("/v1/pets");
  for (let times = 0; times < 3; times++) await service.client.call("/v1/pets");
  await service.client.call("/v1/pets", { method: "HEAD" });
  expect((await watched.scrape()).value("animal_store_response_bytes_total", { operation: "listPets" })).toBe(
    4 * Buffer.byteLength(list.text),
  );
});

it("metrics count refused requests by error code", async (service) => {
  await using watched = watchMetrics(service);
  const countRefused = async (code: string) => (await watched.scrape()).value("animal_store_refused_total", { code });
  expect(await countRefused("Unauthorized")).toBe(0);
  await service.client.call("/v1/pets", { key: null });
  expect(await countRefused("Unauthorized")).toBe(1);
  const { key } = await addKey(service.store, { name: "reader", scope: "read" });
  expect((await service.client.call("/v1/pets", { key, body: rex })).status).toBe(403);
  expect(await countRefused("Forbidden")).toBe(1);
  await using full = await startService({ maxConnections: 0 });
  await using watchedFull = watchMetrics(full);
  using connection = new RawConnection(full.client.url);
  connection.send("GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n");
  expect((await connection.response())?.status).toBe(503);
  const scrape = await watchedFull.scrape();
  expect(scrape.value("animal_store_refused_total", { code: "ServiceUnavailable" })).toBe(1);
});

test("metrics count throttled requests by the kind of limit", async () => {
  const idempotencyLimits = { perFamily: 1, total: 10 };
  const quotaOfOne = { requests: 1, seconds: 600 };
  const checkThrottled = async (service: TestService, kind: string, call: () => Promise<{ status: number }>) => {
    await using watched = watchMetrics(service);
    const before = (await watched.scrape()).value("animal_store_throttled_total", { kind });
    while ((await call()).status !== 429);
    expect((await watched.scrape()).value("animal_store_throttled_total", { kind })).toBe(before + 1);
  };
  await using limited = await startService({ quota: quotaOfOne });
  await checkThrottled(limited, "quota", () => limited.client.call("/v1/pets"));
  await using shy = await startService({ anonymousQuota: { requests: 3, seconds: 600 } });
  await checkThrottled(shy, "anonymous", () => shy.client.call("/v1/pets", { key: null }));
  await using wary = await startService({ maxWrongKeys: 2 });
  await checkThrottled(wary, "wrong_keys", () => wary.client.call("/v1/pets", { key: generateKey() }));
  await using full = await startServiceOn(await makeDatabase(engine), {}, { idempotencyLimits });
  let requestCount = 0;
  await checkThrottled(full, "idempotency", () => {
    const headers = { "Idempotency-Key": `request-${requestCount++}` };
    return full.client.call("/v1/pets", { body: rex, headers });
  });
  await using busy = await startService({ maxEventReaders: 0 });
  const headers = { Accept: "text/event-stream" };
  await checkThrottled(busy, "streams", () => busy.client.call("/v1/events", { headers }));
});

test("no label of a metric contains client input", async () => {
  await using service = await startService({ pages: undefined });
  await using watched = watchMetrics(service);
  const sendNonsense = async (round: string) => {
    for (const method of ["GET", "POST", "PUT", "FROB"]) {
      for (const path of [
        `/${round}`,
        `/v1/${round}`,
        `/v1/pets/${round}`,
        `/v1/pets?${round}=1`,
        `/v1/orders/"\\n${round}`,
      ]) {
        for (const key of [service.client.key, `ask_${round}`, null]) {
          using connection = new RawConnection(service.client.url);
          const authorization = key === null ? "" : `Authorization: Bearer ${key}\r\n`;
          connection.send(`${method} ${path} HTTP/1.1\r\nHost: ${round}\r\nConnection: close\r\n${authorization}\r\n`);
          await connection.untilResponse();
        }
      }
    }
  };
  await sendNonsense("first");
  const series = ({ samples }: Scrape) => samples.map(({ name, labels }) => JSON.stringify([name, labels])).sort();
  const before = series(await watched.scrape());
  for (const round of ["second", "third", "1e9", "..%2f.."]) await sendNonsense(round);
  const scrape = await watched.scrape();
  expect(series(scrape)).toEqual(before);
  const known = new Set(["public", "metrics", "none", ...operations.map(({ id }) => id)]);
  const countedOperations = scrape.find("animal_store_requests_total").map(({ labels }) => labels["operation"] ?? "");
  expect(countedOperations.filter((operation) => !known.has(operation))).toEqual([]);
});

test("metrics count writes, with their time in the queue and the size of their commits", async () => {
  await using service = await startService({ tidyEveryMs: 1_000_000_000 });
  await using watched = watchMetrics(service);
  const figures = (scrape: Scrape) => ({
    waits: scrape.value("animal_store_write_wait_seconds_count"),
    writes: scrape.value("animal_store_commit_writes_sum"),
    commits: scrape.value("animal_store_commit_writes_count"),
    timed: scrape.value("animal_store_commit_duration_seconds_count"),
    seconds: scrape.value("animal_store_commit_duration_seconds_sum"),
  });
  const before = figures(await watched.scrape());
  const { json } = await service.client.call("/v1/pets", { body: rex });
  const afterCreate = figures(await watched.scrape());
  expect([afterCreate.waits, afterCreate.writes]).toEqual([before.waits + 1, before.writes + 1]);
  expect([afterCreate.commits, afterCreate.timed]).toEqual([before.commits + 1, before.timed + 1]);
  expect(afterCreate.seconds).toBeGreaterThan(before.seconds);
  const { id } = json as { id: number };
  await service.client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name: "Max" } });
  const afterChange = figures(await watched.scrape());
  expect([afterChange.waits, afterChange.commits]).toEqual([before.waits + 2, before.commits + 2]);
  await Promise.all(Array.from({ length: 50 }, () => service.client.call("/v1/pets", { body: rex })));
  const afterMany = figures(await watched.scrape());
  expect(afterMany.writes).toBe(before.writes + 52);
  expect(afterMany.commits).toBeLessThan(before.commits + 52);
});

it("metrics count the queued writes", async (service) => {
  await using watched = watchMetrics(service);
  await using held = await holdWrites(service.database);
  const first = service.client.call("/v1/pets", { body: rex });
  await watched.until((scrape) => scrape.value("animal_store_requests_in_flight") === 1);
  const others = Array.from({ length: 3 }, () => service.client.call("/v1/pets", { body: rex }));
  await watched.until((scrape) => scrape.value("animal_store_write_queue_depth") > 0);
  await held.release();
  for (const response of await Promise.all([first, ...others])) expect(response.status).toBe(201);
  expect((await watched.scrape()).value("animal_store_write_queue_depth")).toBe(0);
});

it("metrics measure unread responses in bytes until their clients disconnect", async (service) => {
  await service.database.fill(100);
  await using watched = watchMetrics(service);
  const unreadBytes = async () => (await watched.scrape()).value("animal_store_unread_responses_bytes");
  expect(await unreadBytes()).toBe(0);
  const fields = `Host: x\r\nAuthorization: Bearer ${service.client.key}`;
  // The responses exceed what the kernel buffers.
  const requests = `GET /v1/pets?limit=100 HTTP/1.1\r\n${fields}\r\n\r\n`.repeat(5_000);
  {
    using _ = new StalledConnection(service.client.url, requests);
    await watched.until((scrape) => (scrape.value("animal_store_unread_responses_bytes") ?? 0) > 0);
  }
  await watched.until((scrape) => scrape.value("animal_store_unread_responses_bytes") === 0);
  expect((await watched.scrape()).value("animal_store_unread_responses_cut_total")).toBe(0);
});

test("Server-Timing reports how long the creation of a key was queued, even if the key is encrypted first", async () => {
  await using service = await startService({ sendsServerTiming: true });
  for (const headers of [{}, { "Idempotency-Key": "sealed" }]) {
    const createResponse = await service.client.call("/v1/keys", { body: { name: "till", scope: "read" }, headers });
    expect([createResponse.status, createResponse.headers.get("server-timing")]).toEqual([
      201,
      expect.stringContaining("queue;dur="),
    ]);
  }
});

it("the reported size of the event log is close to that of its events", async (service) => {
  const { client, store } = service;
  await client.call("/v1/pets:batch", { body: { pets: Array.from({ length: 100 }, () => rex) } });
  for (let id = 1; id <= 100; id++) await client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name: "Rexy" } });
  await until(async () => (await store.events.ends())?.newest.position === 200);
  const { events } = await store.events.read({}, 0, 200);
  const bodyBytes = events.reduce((all, { body }) => all + Buffer.byteLength(body), 0);
  await using watched = watchMetrics(service);
  const bytes = (await watched.scrape()).value("animal_store_event_log_bytes");
  expect(bytes).toBeGreaterThan(bodyBytes / 2);
  expect(bytes).toBeLessThan(bodyBytes * 10);
});

test("metrics count idempotency records by whether they have expired", async () => {
  const once = { body: rex, headers: { "Idempotency-Key": "once" } };
  const tidyEveryMs = 1_000_000_000;
  await using service = await startService({ tidyEveryMs });
  await service.client.call("/v1/pets", once);
  await using watched = watchMetrics(service);
  const scrape = await watched.scrape();
  expect(scrape.value("animal_store_claims", { state: "kept" })).toBe(1);
  expect(scrape.value("animal_store_claims", { state: "expired" })).toBe(0);
  await using later = await startService({ tidyEveryMs });
  await later.client.call("/v1/pets", once);
  await later.database.run("UPDATE claims SET created_at = 1");
  await using watchedLater = watchMetrics(later);
  const scrapeLater = await watchedLater.scrape();
  expect(scrapeLater.value("animal_store_claims", { state: "kept" })).toBe(0);
  expect(scrapeLater.value("animal_store_claims", { state: "expired" })).toBe(1);
});

it("a blocked event loop is visible in the metrics", async (service) => {
  await using watched = watchMetrics(service);
  const countLongDelays = (scrape: Scrape) =>
    scrape.value("animal_store_event_loop_delay_seconds_count") -
    scrape.value("animal_store_event_loop_delay_seconds_bucket", { le: "0.25" });
  const before = countLongDelays(
    await watched.until((scrape) => scrape.value("animal_store_event_loop_delay_seconds_count") > 0),
  );
  Bun.sleepSync(700);
  await watched.until((scrape) => countLongDelays(scrape) > before);
});

it("metrics report the memory, CPU time, start time and open files of the process", async (service) => {
  await using watched = watchMetrics(service);
  const before = await watched.scrape();
  const grown = (scrape: Scrape, name: string) => scrape.value(name) > before.value(name);
  await watched.until((scrape) => grown(scrape, "process_cpu_seconds_total"));
  const kept: unknown[] = [];
  await watched.until((scrape) => {
    kept.push(
      Buffer.alloc(4 * 1024 * 1024, 1),
      Array.from({ length: 10_000 }, (_, index) => ({ index })),
    );
    return ["process_resident_memory_bytes", "process_heap_bytes"].every((name) => grown(scrape, name));
  });
  expect(kept.length).toBeGreaterThan(0);
  const startedAt = before.value("process_start_time_seconds");
  expect(startedAt).toBeGreaterThan(Date.now() / 1000 - 3600);
  expect(startedAt).toBeLessThan(Date.now() / 1000);
  const openFileCount = before.value("process_open_fds");
  expect(openFileCount).toBeGreaterThan(0);
  expect(openFileCount).toBeLessThan(before.value("process_max_fds"));
  const opened = Array.from({ length: 50 }, () => openSync("/dev/null", "r"));
  await watched.until((scrape) => scrape.value("process_open_fds") >= openFileCount + 40);
  for (const file of opened) closeSync(file);
  if (process.platform === "linux") {
    expect(before.value("process_virtual_memory_bytes")).toBeGreaterThan(before.value("process_resident_memory_bytes"));
  }
  const [build] = before.find("animal_store_build_info");
  expect(build?.labels["version"]).toMatch(/^\d+\.\d+\.\d+/);
});
