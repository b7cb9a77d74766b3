import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { Client } from "../support/client.ts";
import { databaseOn, sharedPostgres, type TestDatabase, urlOf } from "../support/database.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram } from "../support/program.ts";
import { startServiceOn } from "../support/service.ts";
import { pauseLoad, until } from "../support/wait.ts";

/** A path that needs an API key but not the store. */
const path = "/v1/nothing";
const admittedStatus = 404;
const refusedStatus = 429;

/** A timeout that is long enough for the database on a slow machine. */
const longTimeoutMs = 60_000;

async function startThreeInstances(
  database: TestDatabase,
  quota: { readonly requests: number; readonly seconds: number },
  clock: () => number,
  quotaTimeoutMs?: number,
) {
  const instances = new AsyncDisposableStack();
  const borrowed = { ...database, [Symbol.asyncDispose]: async () => {} };
  const clients: Client[] = [];
  for (let count = 0; count < 3; count++) {
    clients.push(instances.use(await startServiceOn(borrowed, { quota, clock, quotaTimeoutMs })).client);
  }
  return { clients, [Symbol.asyncDispose]: () => instances.disposeAsync() };
}

test.each([
  [100, 1],
  [1000, 60],
])("three instances together admit %d requests in %d s, however uneven their load", async (requests, seconds) => {
  const windowMs = seconds * 1000;
  let now = 100 * windowMs;
  await using database = databaseOn((await sharedPostgres()).url);
  await using three = await startThreeInstances(database, { requests, seconds }, () => now, longTimeoutMs);
  for (let window = 0; window < 2; window++) {
    // First sends a request to each instance, because on a busy machine two instances may use up the whole quota.
    for (const client of three.clients) expect((await client.call(path)).status).toBe(admittedStatus);
    const admittedBy = [1, 1, 1];
    const refusedBy = [0, 0, 0];
    const total = () => admittedBy.reduce((sum, count) => sum + count, 0);
    // Ends once nearly the whole quota was admitted and each instance has refused many requests.
    const isOver = () => total() >= 0.9 * requests && refusedBy.every((count) => count >= 100);
    const workers = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2].map(async (instance) => {
      const client = three.clients[instance] ?? expect.unreachable();
      while (!isOver()) {
        const { status } = await client.call(path);
        const counts = status === admittedStatus ? admittedBy : refusedBy;
        counts[instance] = (counts[instance] ?? 0) + 1;
        if (counts === refusedBy) expect(status).toBe(refusedStatus);
      }
    });
    await Promise.all(workers);
    expect(total()).toBeLessThanOrEqual(1.1 * requests);
    now += windowMs;
  }
});

test("each response shows how many requests are left after all requests to any instance", async () => {
  await using database = databaseOn((await sharedPostgres()).url);
  await using three = await startThreeInstances(database, { requests: 3, seconds: 60 }, () => 6_000_000);
  const seen = [];
  for (const client of [...three.clients, ...three.clients]) {
    const { status, headers } = await client.call(path);
    seen.push([status, headers.get("ratelimit"), headers.get("retry-after")]);
  }
  expect(seen).toEqual([
    [admittedStatus, '"default";r=2;t=60', null],
    [admittedStatus, '"default";r=1;t=60', null],
    [admittedStatus, '"default";r=0;t=60', null],
    ...Array(3).fill([refusedStatus, '"default";r=0;t=60', "60"]),
  ]);
});

test("three programs together admit no more than the quota, by the clock of the database", async () => {
  const { url } = await sharedPostgres();
  await using database = databaseOn(url);
  await using programs = new AsyncDisposableStack();
  const args = ["--rate-limit", "100", "--log-level", "off", "--pool-size", "3"];
  const clients: Client[] = [];
  for (let count = 0; count < 3; count++) {
    clients.push(programs.use(await RunningProgram.start(urlOf(database), { args })).client);
  }
  const currentSecond = () => Math.floor(Date.now() / 1000);
  const first = currentSecond();
  let total = 0;
  let refusalCount = 0;
  await Promise.all(
    [0, 0, 0, 0, 1, 1, 2].map(async (instance) => {
      const client = clients[instance] ?? expect.unreachable();
      while (currentSecond() < first + 5 || refusalCount < 100) {
        const { status } = await client.call(path);
        if (status === admittedStatus) total++;
        else if (status === refusedStatus) refusalCount++;
        else expect.unreachable();
        await pauseLoad();
      }
    }),
  );
  expect(total).toBeLessThanOrEqual(1.1 * 100 * (currentSecond() - first + 1));
});

test("while the database is down, each instance admits its share of the quota; afterwards, all instances together admit the quota", async () => {
  await using server = await PostgresServer.start();
  let now = 6_000_000;
  await using three = await startThreeInstances(databaseOn(server.url), { requests: 30, seconds: 60 }, () => now);
  const count = async (client: Client) => {
    let admittedCount = 0;
    while ((await client.call(path)).status === admittedStatus) admittedCount++;
    return admittedCount;
  };
  const countAll = async () => {
    const counts: number[] = [];
    for (const client of three.clients) counts.push(await count(client));
    return counts;
  };
  for (let round = 0; round < 4; round++) for (const client of three.clients) await client.call(path);
  await server.kill();
  now += 60_000;
  expect(await countAll()).toEqual([10, 10, 10]);
  await server.start();
  for (const client of three.clients) {
    await until(async () => {
      now += 60_000;
      return parseRemaining(await client.call(path)) > 10;
    });
  }
  now += 61_000;
  expect((await countAll()).reduce((sum, admittedCount) => sum + admittedCount, 0)).toBe(30);
});

test("while the database responds late, the instances admit little more than the quota", async () => {
  await using server = await PostgresServer.start();
  let now = 6_000_000;
  await using database = databaseOn(server.url);
  await using three = await startThreeInstances(database, { requests: 100, seconds: 60 }, () => now);
  for (let round = 0; round < 4; round++) for (const client of three.clients) await client.call(path);
  let admittedCount = 0;
  const untilRefused = async (times: number) => {
    await Promise.all(
      three.clients.map(async (client) => {
        for (let refusalCount = 0; refusalCount < times; ) {
          const { status } = await client.call(path);
          if (status === admittedStatus) admittedCount++;
          else refusalCount++;
        }
      }),
    );
  };
  await using blocker = new SQL({ url: server.url, max: 1 });
  const { schema } = database.address as { schema: string };
  await blocker.unsafe(`BEGIN; LOCK TABLE ${schema}.quota_uses IN EXCLUSIVE MODE`);
  now += 60_000;
  await untilRefused(1);
  const quota = 100;
  // Until the commit, each instance admits only its share of the quota, rounded up.
  expect(admittedCount).toBeWithin(90, 3 * Math.ceil(quota / 3) + 1);
  await blocker.unsafe("COMMIT");
  // Each instance publishes its admitted requests even if no further request arrives.
  const published = `SELECT sum((use->>'count')::int)::int AS count FROM ${schema}.quota_uses, jsonb_array_elements(uses) AS use`;
  await until(async () => (await blocker.unsafe(published))[0].count >= Math.min(admittedCount, quota));
  await untilRefused(500);
  expect(admittedCount).toBeWithin(90, 3 * Math.ceil(quota / 3) + 1);
});

function parseRemaining({ headers }: { readonly headers: Headers }): number {
  return Number(/;r=(\d+);/.exec(headers.get("ratelimit") ?? "")?.[1]);
}
