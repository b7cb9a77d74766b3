import { expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import { Log } from "../../src/log/log.ts";
import { Registry } from "../../src/metrics/registry.ts";
import type { Query } from "../../src/store/postgres/query.ts";
import { Connection, type ConnectionSettings, shrinkMs } from "../../src/store/postgres/servers/connection.ts";
import { openPools } from "../../src/store/postgres/servers/pools.ts";
import { fillTelemetry, WriteMetrics } from "../../src/store/telemetry.ts";
import type { CheckedResponse, Client } from "../support/client.ts";
import { mountSkipReason, testUnless } from "../support/conditional-test.ts";
import { databaseOn } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { PostgresServer } from "../support/postgres.ts";
import { startServiceOn } from "../support/service.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";
import { testWith } from "../support/test-with.ts";
import { pauseLoad, until } from "../support/wait.ts";

const it = testWith(() => PostgresServer.start());

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

const add = (client: Client) => client.call("/v1/pets", { body: rex });

function expectUnavailable({ status, headers, json }: CheckedResponse): void {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
  expect(json).toMatchObject({ code: "ServiceUnavailable", status: 503 });
}

function connectTo(servers: readonly PostgresServer[], settings: Partial<ConnectionSettings> = {}): Connection {
  const urls = servers.map(({ url }) => url);
  return new Connection({ urls, schema: "public", role: "primary", poolSize: 1, note: () => {}, ...settings });
}

async function takeAllConnections(server: PostgresServer): Promise<AsyncDisposable> {
  const connections = new AsyncDisposableStack();
  for (let isFull = false; !isFull; ) {
    const sql = connections.use(new SQL({ url: server.url, max: 1 }));
    isFull = !(await isFulfilled(sql`SELECT 1`));
  }
  return connections;
}

const isFulfilled = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const responds = (query: Query) => isFulfilled(query("SELECT 1"));

/** Returns a database whose disposal leaves the server running, because the test stops the server. */
const withoutDisposal = ({ url }: PostgresServer) => ({ ...databaseOn(url), [Symbol.asyncDispose]: async () => {} });

const countAnimals = async (client: Client) => (await Array.fromAsync(client.walk("/v1/pets?limit=100"))).length;

async function untilServed(send: () => Promise<CheckedResponse>): Promise<void> {
  await until(async () => {
    const { status } = await send();
    if (status < 500) expect(status).toBeLessThan(300);
    return status < 500;
  });
}

it("a frozen PostgreSQL server causes 503 for reads, writes and readyz until it recovers", async (server) => {
  await using service = await startServiceOn(databaseOn(server.url));
  expect((await add(service.client)).status).toBe(201);
  {
    using _ = server.freeze();
    const paths = ["/v1/pets", "/v1/pets/1", "/readyz", "/v1/pets", "/v1/pets/1", "/readyz"];
    const requests = paths.map((path) => service.client.call(path));
    const creates = Array.from({ length: 10 }, () => add(service.client));
    for (const response of await Promise.all([...requests, ...creates])) expectUnavailable(response);
    expect((await service.client.call("/healthz")).status).toBe(200);
    for (let round = 0; round < 3; round++) expectUnavailable(await add(service.client));
  }
  await untilServed(() => service.client.call("/v1/pets"));
  await untilServed(() => add(service.client));
  expect((await service.client.call("/readyz")).status).toBe(200);
});

it("a frozen PostgreSQL server causes 503 for exports and cuts off an export in progress, and later exports succeed", async (server) => {
  await using service = await startServiceOn(databaseOn(server.url));
  const { client, store } = service;
  const { key } = await addKey(store);
  const exports = () => Promise.all([client.call("/v1/export"), client.call("/v1/export", { key })]);
  for (const { status } of await exports()) expect(status).toBe(200);
  await service.database.run(
    "INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'sold' FROM generate_series(1, 1001)",
  );
  {
    using frozen = new DisposableStack();
    let exportedCount = 0;
    const begun = store.export({
      onBegin() {},
      async onPets(pets) {
        if (exportedCount === 0) frozen.use(server.freeze());
        exportedCount += pets.length;
      },
    });
    await expect(begun).rejects.toMatchObject({
      code: "ServiceUnavailable",
      message: "The store cannot be reached now; try again.",
    });
    expect(exportedCount).toBe(250);
    for (let round = 0; round < 2; round++) {
      for (const response of await exports()) expectUnavailable(response);
    }
  }
  await untilServed(() => client.call("/v1/export"));
  for (const { status } of await exports()) expect(status).toBe(200);
});

it("a crash of PostgreSQL causes 503 at once and loses no acknowledged write, and the service recovers after the restart", async (server) => {
  await using service = await startServiceOn(databaseOn(server.url));
  const acknowledgedIds: number[] = [];
  let isWriting = true;
  const writers = Array.from({ length: 16 }, async () => {
    while (isWriting) {
      const response = await add(service.client);
      if (response.status === 201) acknowledgedIds.push((response.json as { id: number }).id);
      else expectUnavailable(response);
      await pauseLoad();
    }
  });
  for (let crash = 0; crash < 3; crash++) {
    const expectedCount = acknowledgedIds.length + 100;
    await Promise.race([until(() => acknowledgedIds.length >= expectedCount), Promise.all(writers)]);
    await server.kill();
    for (const path of ["/v1/pets", "/v1/export"]) {
      const read = await service.client.call(path);
      expectUnavailable(read);
      expect(read.json).toMatchObject({ message: "The store cannot be reached now; try again." });
    }
    expectUnavailable(await service.client.call("/readyz"));
    await server.start();
    await untilServed(() => add(service.client));
  }
  isWriting = false;
  await Promise.all(writers);
  const listedIds = new Set<number>();
  for await (const { id } of service.client.walk("/v1/pets?limit=100")) listedIds.add(id);
  expect(acknowledgedIds.filter((id) => !listedIds.has(id))).toEqual([]);
  expect(new Set(acknowledgedIds).size).toBe(acknowledgedIds.length);
});

testUnless(
  mountSkipReason(),
  "a full disk of PostgreSQL causes 507 and loses nothing, and writes succeed again once there is room",
  async () => {
    await using server = await PostgresServer.startWithSmallDisk();
    await server.run(`CREATE TABLESPACE small LOCATION '${server.smallDisk}'`);
    await server.run("ALTER ROLE postgres SET default_tablespace = 'small'");
    // The ballast fills half of the disk: when it is dropped, waiting events take much of the space that becomes free.
    await server.run("CREATE TABLE ballast AS SELECT repeat('x', 800) FROM generate_series(1, 2000)");
    await using service = await startServiceOn(databaseOn(server.url));
    let acknowledgedCount = 0;
    let response: CheckedResponse;
    do {
      response = await service.client.call("/v1/pets", {
        body: { name: "x".repeat(255), categoryId: acknowledgedCount },
      });
      if (response.status === 201) acknowledgedCount++;
    } while (response.status === 201 && acknowledgedCount < 50_000);
    expect(response.json).toEqual({
      code: "InsufficientStorage",
      message: "The store's disk is full. Nothing was saved.",
      status: 507,
    });
    expect(acknowledgedCount).toBeGreaterThan(100);
    expect(await countAnimals(service.client)).toBe(acknowledgedCount);
    await server.run("DROP TABLE ballast");
    await untilServed(() => add(service.client));
  },
);

test("a PostgreSQL server that may not write temporary files causes 507 or 503 only for requests that need one", async () => {
  await using server = await PostgresServer.start({ work_mem: "64kB", enable_hashagg: "off" });
  await using service = await startServiceOn(databaseOn(server.url));
  expect((await add(service.client)).status).toBe(201);
  // These are too many rows to be sorted in memory, so reading the inventory needs a temporary file.
  const changesQuery = "SELECT 'sold', place % 2 * 2 - 1 FROM generate_series(1, 20000) AS place";
  await service.database.run(`INSERT INTO inventory_changes (status, change) ${changesQuery}`);
  let acknowledgedCount = 1;
  /** Sends more creates than the server can insert without a temporary file. Returns the refused responses. */
  const addAnimals = async () => {
    const body = { ...rex, name: "🐈".repeat(255) };
    const responses = await Promise.all(Array.from({ length: 500 }, () => service.client.call("/v1/pets", { body })));
    const refused = responses.filter(({ status }) => status !== 201);
    acknowledgedCount += responses.length - refused.length;
    return refused;
  };

  await server.set({ temp_file_limit: "0" });
  // Repeats the requests, because the processes of the server reload settings at different times.
  let read: CheckedResponse;
  do read = await service.client.call("/v1/store/inventory");
  while (read.status === 200);
  expectUnavailable(read);
  expect(read.json).toMatchObject({ message: "The store's disk is full; try again." });
  let refused: CheckedResponse[];
  do refused = await addAnimals();
  while (refused.length === 0);
  for (const { json } of refused) {
    expect(json).toEqual({
      code: "InsufficientStorage",
      message: "The store has no room for temporary files. Nothing was saved.",
      status: 507,
    });
  }
  expect((await add(service.client)).status).toBe(201);
  acknowledgedCount++;
  expect(await countAnimals(service.client)).toBe(acknowledgedCount);

  await server.set({ temp_file_limit: "-1" });
  await untilServed(() => service.client.call("/v1/store/inventory"));
  while ((await addAnimals()).length > 0);
});

testUnless(mountSkipReason(), "PostgreSQL without room for its WAL causes 503, and is named in the log", async () => {
  await using server = await PostgresServer.startWithSmallWalDisk();
  const notes: string[] = [];
  await using service = await startServiceOn(
    withoutDisposal(server),
    {},
    { note: (level, message, fields) => notes.push(`${level}: ${message} ${JSON.stringify(fields)}`) },
  );
  expect((await add(service.client)).status).toBe(201);
  const fill = () => server.run("SELECT pg_logical_emit_message(true, 'fill', repeat('x', 1000000))");
  while (await isFulfilled(fill()));
  await until(async () => (await service.client.call("/readyz")).status !== 200);
  for (const path of ["/v1/pets", "/v1/pets/1", "/readyz"]) expectUnavailable(await service.client.call(path));
  expectUnavailable(await add(service.client));
  expect((await service.client.call("/healthz")).status).toBe(200);
  expect(notes).toContain(
    `warn: the connection pool was replaced {"server":"127.0.0.1:${server.port}","reason":"Connection closed"}`,
  );
});

test("a PostgreSQL server with fewer connections than the pool size serves all requests", async () => {
  await using server = await PostgresServer.start({
    max_connections: "5",
    superuser_reserved_connections: "0",
    max_wal_senders: "0",
  });
  await using service = await startServiceOn(databaseOn(server.url), {}, { poolSize: 20 });
  const wave = () =>
    Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? add(service.client) : service.client.call("/v1/pets"))),
    );
  await until(async () => {
    const refused = (await wave()).filter(({ status }) => status >= 300);
    for (const response of refused) expectUnavailable(response);
    return refused.length === 0;
  });
});

test("when one connection pool gets no connection, the pools for reads and writes shrink for ten minutes", async () => {
  await using server = await PostgresServer.start({ max_connections: "20", superuser_reserved_connections: "0" });
  let elapsedMs = 0;
  const notes: unknown[] = [];
  const pools = openPools(
    { kind: "postgres", urls: [server.url], schema: "public", replicas: [] },
    {
      poolSize: 10,
      limitMilliseconds: undefined,
      stopwatch: () => elapsedMs,
      writeMetrics: new WriteMetrics(new Registry()),
      telemetry: fillTelemetry({ note: (level, message, fields) => notes.push({ level, message, ...fields }) }),
    },
  );
  const { writes, readPrimary, sequencing } = pools;
  await using _ = { [Symbol.asyncDispose]: () => pools.close() };
  const useBoth = () => Promise.all([responds(writes.query), responds(readPrimary)]);
  await using another = new SQL({ url: server.url, max: 1 });
  const openQuery = "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'animal-store %'";
  const untilOpen = (connections: number) =>
    until(async () => (await another.unsafe(openQuery)).length === connections);
  await useBoth();
  await untilOpen(10);
  {
    await using _ = await takeAllConnections(server);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => sequencing.query("SELECT 1")));
    const refused = { status: "rejected", reason: { cause: expect.stringContaining("53300") } };
    expect(outcomes).toMatchObject(Array(20).fill(refused));
    await untilOpen(0);
    expect(await useBoth()).toEqual([true, true]);
    await untilOpen(5);
  }
  // A shortage from before these pools were opened must not shrink them.
  writes.shrink(0);
  const at = { server: `127.0.0.1:${server.port}` };
  const replaced = { level: "warn", message: "the connection pool was replaced", ...at };
  const toShrinkNote = (size: number) => ({ ...replaced, reason: `too many connections: at most ${size} from now on` });
  expect(notes).toEqual([toShrinkNote(3), toShrinkNote(2)]);
  elapsedMs += shrinkMs - 1;
  await useBoth();
  expect(notes).toHaveLength(2);
  elapsedMs += 1;
  await useBoth();
  await untilOpen(10);
  const full = { level: "info", message: "the connection pool may have its full size again", ...at };
  expect(notes.slice(2)).toEqual([
    { ...full, size: 6 },
    { ...full, size: 4 },
  ]);
});

test("for a list of PostgreSQL servers, the error names the server that has no free connections", async () => {
  const settings = { max_connections: "5", superuser_reserved_connections: "0" };
  const pair = await PostgresServer.startPair(settings);
  await using primary = pair.primary;
  await using standby = pair.standby;
  await using _ = await takeAllConnections(primary);
  let tooManyCount = 0;
  const connection = connectTo([standby, primary], { onTooManyConnections: () => tooManyCount++ });
  const cause = expect.stringContaining(`127.0.0.1:${primary.port}: 53300: `);
  await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "ServiceUnavailable", cause });
  expect(tooManyCount).toBe(1);
  await connection.close();
});

it("a lost connection leaves the outcome unknown for a single statement, but not for a transaction before its commit", async (server) => {
  const terminateStatement = "SELECT pg_terminate_backend(pg_backend_pid())";
  await expectOutcomes(connectTo([server]), terminateStatement, expect.stringMatching(/57P01|CONNECTION_CLOSED/));
});

it("the loss of an idle or a busy connection counts as an interruption", async (server) => {
  const connection = connectTo([server], { role: "standby" });
  await connection.query("SELECT 1");
  expect(connection.interruptionCount).toBe(0);
  await server.run(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'animal-store %'",
  );
  await until(() => connection.interruptionCount > 0);
  await until(() => responds(connection.query));
  const before = connection.interruptionCount;
  await connection.query("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => {});
  await until(() => connection.interruptionCount > before);
  await connection.close();
});

it("a missed deadline leaves the outcome unknown for a single statement, but not for a transaction before its commit", async (server) => {
  await using another = new SQL({ url: server.url, max: 1 });
  await another`SELECT pg_advisory_lock(1)`;
  const connection = connectTo([server], { limitMilliseconds: 500 });
  // Opens the connection first: a deadline that is missed during the opening would not leave the outcome unknown.
  await until(() => responds(connection.query));
  const waitStatement = "SELECT pg_advisory_xact_lock(1)";
  await expectOutcomes(connection, waitStatement, expect.stringContaining("no answer within 500 ms"));
});

it("half-open connections that no longer respond are replaced", async (server) => {
  using address = await MovableAddress.to(server.port);
  const connection = connectThrough(address, server, 500);
  const isUsable = () => responds(connection.query);
  await until(isUsable);
  address.fallSilent();
  expect(await isUsable()).toBe(false);
  await until(isUsable);
  await connection.close();
});

it("PostgreSQL releases the locks of a lost program after the deadline, even if its connections stay half-open", async (server) => {
  using address = await MovableAddress.to(server.port);
  const connection = connectThrough(address, server, 2_000);
  await until(() => responds(connection.query));
  const locked = Promise.withResolvers<void>();
  const transaction = connection.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock(1)");
    locked.resolve();
    await new Promise(() => {});
  });
  transaction.catch(locked.reject);
  await locked.promise;
  address.fallSilent();
  await server.run("SELECT pg_advisory_lock(1)");
  await expect(transaction).rejects.toMatchObject({ code: "ServiceUnavailable" });
  await connection.close();
});

function connectThrough(address: MovableAddress, server: PostgresServer, limitMilliseconds: number): Connection {
  const urls = [server.url.replace(`:${server.port}/`, `:${address.port}/`)];
  return connectTo([server], { urls, limitMilliseconds });
}

/** Expects that a failing statement leaves the outcome unknown when it runs alone, but not in a transaction. */
async function expectOutcomes(connection: Connection, statement: string, cause: unknown): Promise<void> {
  await expect(connection.query(statement)).rejects.toMatchObject({
    message: "The store did not respond in time. It is not known whether the request was carried out.",
    cause,
  });
  await expect(connection.transaction((query) => query(statement))).rejects.toMatchObject({
    message: "The store cannot be reached now. Nothing was saved; try again.",
    cause,
  });
  await connection.close();
}

test("transactions run at the isolation level that the store needs, even if PostgreSQL has a stricter default", async () => {
  await using server = await PostgresServer.start({ default_transaction_isolation: "serializable" });
  const connection = connectTo([server]);
  const showStatement = "SHOW transaction_isolation";
  expect(await connection.query(showStatement)).toEqual([{ transaction_isolation: "serializable" }]);
  const inTransaction = await connection.transaction((query) => query(showStatement));
  expect(inTransaction).toEqual([{ transaction_isolation: "read committed" }]);
  await connection.close();
});

it("a PostgreSQL server that is lost during background work is named in the log", async (server) => {
  const log = new Log("off", false);
  const writeLog = spyOn(log, "write");
  await using service = await startServiceOn(withoutDisposal(server), { log });
  await server.kill();
  await service.service.tidy();
  const cause = expect.stringContaining(`127.0.0.1:${server.port}: ERR_POSTGRES_CONNECTION_`);
  expect(writeLog).toHaveBeenCalledWith("warn", "expired data could not be removed", { cause });
});

test("a primary that loses its standby serves reads, ends waiting writes, and has connections left", async () => {
  const pair = await PostgresServer.startPair({ max_connections: "20" });
  await using primary = pair.primary;
  await using standby = pair.standby;
  await using service = await startServiceOn(withoutDisposal(primary), {}, { poolSize: 6 });
  await add(service.client);
  await standby.kill();
  const { client } = service;
  let isOver = false;
  const writes = Array.from({ length: 40 }, (_, id) =>
    client.call(`/v1/categories/${id}`, { method: "PUT", body: { name: "Dogs" } }),
  );
  const writeResponses = Promise.all([...writes, add(client), add(client)]).finally(() => {
    isOver = true;
  });
  let readCount = 0;
  while (!isOver) {
    expect((await client.call("/v1/pets")).status).toBe(200);
    readCount++;
    await pauseLoad();
  }
  for (const response of await writeResponses) expectUnavailable(response);
  expect(readCount).toBeGreaterThan(20);
  const listWaiting = async () =>
    await primary.run<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  // Only the append to the event log still waits: its events must not be readable before the standby has stored them.
  await until(async () => (await listWaiting()).length === 1);
  const sessionsQuery = "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'animal-store %'";
  // At most eight sessions remain: those of the append, the pools, the poll for standbys, and the sequencer.
  await until(async () => (await primary.run(sessionsQuery)).length < 9);
});
