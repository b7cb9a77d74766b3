import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { inspectStore } from "../../src/store/open-store.ts";
import { trustMs } from "../../src/store/postgres/servers/replication.ts";
import type { Note } from "../../src/store/store.ts";
import { type CheckedResponse, nextPageOf } from "../support/client.ts";
import { databaseOn } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { PostgresServer } from "../support/postgres.ts";
import { startServiceOn, type TestService } from "../support/service.ts";
import { pause, until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

let primary: PostgresServer;
let north: PostgresServer;
let south: PostgresServer;
/** Two instances that write to the primary and read from the standbys. */
let instances: [Instance, Instance];
let one: Instance;
let other: Instance;

beforeAll(async () => {
  // The service must raise synchronous_commit to remote_apply for its own commits.
  const cluster = await PostgresServer.startCluster(["north", "south"], { synchronous_commit: "on" }, "store");
  ({ primary } = cluster);
  [north, south] = cluster.standbys as [PostgresServer, PostgresServer];
  instances = [await startInstance(), await startInstance()];
  [one, other] = instances;
});

afterAll(async () => {
  for (const server of listServers()) server.signalAll("SIGCONT");
  for (const instance of instances ?? []) await instance[Symbol.asyncDispose]();
  for (const server of listServers()) await server[Symbol.asyncDispose]();
});

/** Starts all servers, lets commits wait for both standbys, and waits until both standbys get reads. */
beforeEach(async () => {
  for (const server of listServers()) {
    server.signalAll("SIGCONT");
    if (!server.isRunning) await server.start();
  }
  await primary.set({ synchronous_standby_names: "FIRST 2 (north, south)" });
  for (const standby of [north, south]) {
    await standby.run("SELECT pg_wal_replay_resume()");
    await standby.run("ALTER SYSTEM RESET ALL");
    await standby.run("SELECT pg_reload_conf()");
  }
  await untilReadFrom(north, south);
  for (const { notes } of instances) notes.length = 0;
});

test("an instance that reads from standbys shows what another instance has just saved", async () => {
  await createAndFind(40);
});

test("a frozen or dead standby makes no read fail, and gets reads again once it is back", async () => {
  const id = await create(one);
  north.signalAll("SIGSTOP");
  await find(id, 20);
  north.signalAll("SIGCONT");
  await find(id, 20);
  await north.kill();
  await find(id, 20);
  // Commits wait for a lost standby until the operator removes that standby from the setting.
  expect(await readReadiness(one)).toEqual({ all: 503, reads: 200, writes: 503 });
  await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
  expect(await readReadiness(one)).toEqual({ all: 200, reads: 200, writes: 200 });
  await createAndFind(5);
  await north.start();
  await primary.set({ synchronous_standby_names: "FIRST 2 (north, south)" });
  await untilReadFrom(north);
  for (const { notes } of instances) {
    expect(notes).toContainEqual(expect.objectContaining({ message: "a standby is lost", server: addressOf(north) }));
    expect(notes).toContainEqual({ message: "a standby gets reads", server: addressOf(north) });
  }
});

test("a waiting reader misses no event, even if one standby shows the event before the other does", async () => {
  const { events } = one.store;
  const after = (await events.ends())?.newest.position ?? 0;
  const hiddenRead = Promise.withResolvers<void>();
  const successfulRead = Promise.withResolvers<void>();
  let isCreating = false;
  let isCalled = false;
  const stopWatching = events.watch(async () => {
    isCalled = true;
    if (!isCreating) return;
    const page = await events.read({}, after, 1);
    if (page.events.length > 0) successfulRead.resolve();
    else hiddenRead.resolve();
  });
  // Waits for the first call, which every new watcher gets.
  await until(() => isCalled);
  await south.run("SELECT pg_wal_replay_pause()");
  isCreating = true;
  const creating = create(one);
  await Promise.race([hiddenRead.promise, successfulRead.promise]);
  await south.run("SELECT pg_wal_replay_resume()");
  await creating;
  await successfulRead.promise;
  stopWatching();
});

test("before a commit that does not wait for a standby is acknowledged, every instance stops reading from that standby", async () => {
  await north.run("SELECT pg_wal_replay_pause()");
  await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
  await createAndFind(20);
  const reason = "commits do not wait for it: its sync_state is async";
  for (const { notes } of instances) {
    // Checks the last note of this standby: while the primary's processes reload the setting, both standbys may get other reasons.
    const ofNorth = notes.filter(({ server }) => server === addressOf(north));
    expect(ofNorth.at(-1)).toEqual({ message: "a standby gets no reads", server: addressOf(north), reason });
    expect(ofNorth.map(({ message }) => message)).not.toContain("a standby gets reads");
  }
});

test("before an update that does not wait for a standby is acknowledged, every instance stops reading from that standby", async () => {
  const id = await create(one);
  await north.run("SELECT pg_wal_replay_pause()");
  await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
  for (let round = 0; round < 5; round++) {
    const name = `Rex ${round}`;
    await rename(round % 2 ? one : other, id, name);
    await find(id, 5, { name });
  }
});

test("before a commit whose wait for a standby was cancelled is acknowledged, every instance stops reading from that standby", async () => {
  await north.run("SELECT pg_wal_replay_pause()");
  const creating = create(one);
  let isOver = false;
  const created = creating.finally(() => {
    isOver = true;
  });
  const cancelWaits = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  let cancelledCount = 0;
  await until(async () => {
    cancelledCount += (await primary.run(cancelWaits)).length;
    return isOver;
  });
  const id = await created;
  expect(cancelledCount).toBeGreaterThan(0);
  await find(id, 20);
});

test("standbys show the result of a repeated request whose first attempt missed its deadline", async () => {
  await north.run("SELECT pg_wal_replay_pause()");
  const headers = { "idempotency-key": crypto.randomUUID() };
  expect((await one.client.call("/v1/pets", { body: rex, headers })).status).toBe(503);
  // Repeats after 409: the database may still be running the first attempt.
  const repeat = async (): Promise<CheckedResponse> => {
    const response = await other.client.call("/v1/pets", { body: rex, headers });
    if (response.status !== 409) return response;
    await pause();
    return repeat();
  };
  expect((await repeat()).status).toBe(503);
  await north.run("SELECT pg_wal_replay_resume()");
  const { status, json } = await repeat();
  expect(status).toBe(201);
  await find((json as { id: number }).id, 20);
});

test("when commits begin to wait for a standby, the standby gets no reads before it shows all writes that were acknowledged earlier", async () => {
  await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
  await north.run("SELECT pg_wal_replay_pause()");
  const id = await create(one);
  await primary.set({ synchronous_standby_names: "FIRST 2 (north, south)" });
  const reason = "it has not caught up with what was saved before";
  for (const { notes } of instances) {
    await findUntil(id, () => notes.some((note) => note.reason === reason));
  }
  await north.run("SELECT pg_wal_replay_resume()");
  await untilReadFrom(north);
  await find(id, 20);
});

test("standbys in a quorum get reads only if commits wait for all standbys in the quorum", async () => {
  await primary.set({ synchronous_standby_names: "ANY 2 (north, south)" });
  await createAndFind(5);
  await untilReadFrom(north, south);
  await north.run("SELECT pg_wal_replay_pause()");
  await primary.set({ synchronous_standby_names: "ANY 1 (north, south)" });
  await createAndFind(20);
  const reason = "commits do not wait for it: ANY 1 of 2";
  for (const { notes } of instances) {
    const message = "a standby gets no reads";
    expect(notes).toContainEqual({ message, server: addressOf(north), reason });
    expect(notes).toContainEqual({ message, server: addressOf(south), reason });
  }
});

test("standbys with the highest priority get reads, even after another standby takes over", async () => {
  await south.run("SELECT pg_wal_replay_pause()");
  await primary.set({ synchronous_standby_names: "FIRST 1 (north, south)" });
  await createAndFind(20);
  await south.run("SELECT pg_wal_replay_resume()");
  await north.kill();
  await createAndFind(5);
  await untilReadFrom(south);
  await south.run("SELECT pg_wal_replay_pause()");
  await north.start();
  await createAndFind(20);
});

test("while the primary is dead, its standbys serve reads with a stored API key, even after one standby dies", async () => {
  const { key } = await addKey(one.store, { scope: "write" });
  const id = await create(one);
  await primary.kill();
  await find(id, 20, { key });
  expect((await one.client.call("/v1/pets", { key, body: rex })).status).toBe(503);
  expect(await readReadiness(one)).toEqual({ all: 503, reads: 200, writes: 503 });
  await findPastTrust(id, { key });
  await north.kill();
  await find(id, 20, { key });
  await primary.start();
  for (const { notes } of instances) {
    expect(notes).toContainEqual(
      expect.objectContaining({ message: "the primary does not answer", server: addressOf(primary) }),
    );
    await findUntil(id, () => notes.some(({ message }) => message === "the primary answers again"));
    expect(notes.map(({ message }) => message)).not.toContain("the primary has moved");
  }
});

test("without the standby that showed an event, a reader that continues after the event gets nothing instead of an error", async () => {
  const newest = await one.client.call("/v1/events?cursor=latest");
  let address = nextPageOf(newest) ?? "";
  await south.run("SELECT pg_wal_replay_pause()");
  const creating = create(one);
  await until(async () => {
    const page = await one.client.call(address);
    expect(page.status).toBe(200);
    address = nextPageOf(page) ?? "";
    return (page.json as unknown[]).length > 0;
  });
  await north.kill();
  await until(async () => one.lastMessages.get(addressOf(north)) === "a standby is lost");
  const page = await one.client.call(address);
  expect([page.status, page.json, nextPageOf(page)]).toEqual([200, [], address]);
  await south.run("SELECT pg_wal_replay_resume()");
  await north.start();
  await creating;
});

test("two standbys that the primary knows by the same name get no reads", async () => {
  await south.set({ primary_conninfo: primary.conninfoFor("north") });
  await createAndFindUntilLogged("the primary has several standbys with its application_name, north");
});

test("a standby of a standby gets no reads, even if it has the name of a standby of the primary", async () => {
  await primary.set({ synchronous_standby_names: "FIRST 1 (north)" });
  await south.set({ primary_conninfo: north.conninfoFor("north") });
  await createAndFindUntilLogged("another --replica has the same application_name, north");
  await south.run("SELECT pg_wal_replay_pause()");
  await createAndFind(20);
});

test("standbys that the primary has lost serve reads after the primary dies", async () => {
  const id = await create(one);
  for (const standby of [north, south]) await standby.set({ primary_conninfo: "host=127.0.0.1 port=1" });
  await until(async () => (await primary.run("SELECT 1 FROM pg_stat_replication")).length === 0);
  // The rejected create is in the WAL of the primary, but not in that of the standbys.
  expect((await one.client.call("/v1/pets", { body: rex })).status).toBe(503);
  await findPastTrust(id);
  await primary.kill();
  await findPastTrust(id);
  expect(await readReadiness(one)).toEqual({ all: 503, reads: 200, writes: 503 });
});

test("while the primary is frozen, its standbys serve reads", async () => {
  const id = await create(one);
  primary.signalAll("SIGSTOP");
  for (const { notes } of instances) {
    await findUntil(id, () => notes.some(({ message }) => message === "the primary does not answer"));
  }
  await findPastTrust(id);
  expect(await readReadiness(other)).toEqual({ all: 503, reads: 200, writes: 503 });
  primary.signalAll("SIGCONT");
  await until(async () => (await readReadiness(other))["all"] !== 503);
});

test("a former primary that comes back as a standby does not serve the reads that need the primary", async () => {
  const pair = await PostgresServer.startPair();
  await using old = pair.primary;
  await using successor = pair.standby;
  const { address, ...database } = databaseOn(old.url);
  const urls = [old.url, successor.url];
  const own: PostgresAddress = { ...(address as PostgresAddress), urls };
  await using service = await startServiceOn({ ...database, address: own, [Symbol.asyncDispose]: async () => {} });
  // On a busy machine, a create may miss the deadline, and is repeated with the same idempotency key.
  const add = (key: string) =>
    until(async () => {
      const headers = { "idempotency-key": key };
      return (await service.client.call("/v1/pets", { body: rex, headers })).status === 201;
    });
  await add("before");
  expect((await service.client.call("/v1/pets")).json).toHaveLength(1);
  await old.stop();
  await successor.promote();
  old.follow(successor);
  await old.start();
  await old.run("SELECT pg_wal_replay_pause()");
  await add("after");
  for (let round = 0; round < 20; round++) {
    expect((await service.client.call("/v1/pets?limit=100")).json).toHaveLength(2);
  }
});

test("doctor reports which standbys serve reads, and which settings endanger writes", async () => {
  await south.set({ hot_standby_feedback: "on" });
  const diagnose = async () => {
    const { diagnoses = [] } = await inspectStore(
      { ...addressOfStore(), replicas: listServers().map(({ url }) => url) },
      10,
    );
    return diagnoses.map(({ about, isWell, found }) => `${about} ${isWell}: ${found}`);
  };
  const conflict = "a long query on it can stop all writes for 30s";
  expect(await diagnose()).toEqual([
    "connections true: an instance opens up to 15 to the primary, two instances in a rolling restart 60; the server allows 97",
    "standbys true: 2 can serve reads",
    `standby ${addressOf(north)} true: commits wait until it shows them`,
    `standby ${addressOf(north)} false: ${conflict}`,
    `standby ${addressOf(south)} true: commits wait until it shows them`,
    `standby ${addressOf(primary)} true: it is the primary now`,
  ]);
  await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
  await using manager = new SQL({ url: primary.url, max: 1, connection: { application_name: "Patroni heartbeat" } });
  await manager`SELECT 1`;
  const overridden =
    "Patroni false: ALTER SYSTEM has set synchronous_standby_names, which overrides Patroni's own setting";
  const expectedFinding = `standby ${addressOf(north)} false: it gets no reads: commits do not wait for it: its sync_state is async`;
  await until(async () => (await diagnose()).includes(expectedFinding));
  expect(await diagnose()).toContain(overridden);
  expect(await diagnose()).toContain("standbys true: 1 can serve reads");
  await primary.set({ synchronous_standby_names: "FIRST 2 (south, west)" });
  const blocked =
    "commits false: synchronous_standby_names is FIRST 2 (south, west), but 1 of these are not connected, so no write can finish";
  await until(async () => (await diagnose()).includes(blocked));
});

test("the log reports a query on a standby that stops the replay and thereby all writes", async () => {
  const id = await create(one);
  await using sql = new SQL({ url: north.url, max: 1 });
  const report = await sql.reserve();
  await report`BEGIN ISOLATION LEVEL REPEATABLE READ`;
  await report`SELECT count(*) FROM store.pets`;
  await rename(one, id, "Bella");
  await primary.run("VACUUM store.pets");
  const message = "a standby has stopped replaying";
  for (const { notes } of instances) {
    await until(() => notes.some((note) => note.message === message && note.server === addressOf(north)));
  }
  await report`COMMIT`;
  report.release();
  await untilReadFrom(north);
});

test("a promoted standby serves reads even before the address of the primary leads to the promoted server", async () => {
  const id = await create(one);
  await primary.kill();
  await find(id, 5);
  await north.promote();
  await findPastTrust(id);
  await south.stop();
  await findPastTrust(id);
});

interface LogNote {
  readonly message: string;
  readonly server?: unknown;
  readonly reason?: unknown;
}

interface Instance extends TestService {
  readonly notes: LogNote[];
  readonly lastMessages: ReadonlyMap<unknown, string>;
}

function listServers(): PostgresServer[] {
  return [north, south, primary].filter(Boolean);
}

function addressOf({ port }: PostgresServer): string {
  return `127.0.0.1:${port}`;
}

function addressOfStore(): PostgresAddress {
  const { address } = databaseOn(primary.url);
  return { ...(address as PostgresAddress), schema: "store", replicas: [north.url, south.url] };
}

async function startInstance(): Promise<Instance> {
  const { address: _, ...database } = databaseOn(primary.url);
  const own = addressOfStore();
  const notes: LogNote[] = [];
  const lastMessages = new Map<unknown, string>();
  const note: Note = (_level, message, fields) => {
    notes.push({ message, ...fields });
    lastMessages.set(fields?.["server"], message);
  };
  const service = await startServiceOn(
    { ...database, address: own, [Symbol.asyncDispose]: async () => {} },
    {},
    { note },
  );
  return { ...service, notes, lastMessages };
}

/** Creates an animal and returns its id. On a busy machine, a create may miss the service's deadline, and is repeated. */
async function create(instance: Instance): Promise<number> {
  const { status, json } = await instance.client.call("/v1/pets", { body: rex });
  if (status === 503) {
    await pause();
    return await create(instance);
  }
  expect(status).toBe(201);
  return (json as { id: number }).id;
}

async function readReadiness({ client }: Instance): Promise<Record<string, number>> {
  // Waits, because the result of a probe is reused for 250 ms.
  await Bun.sleep(300);
  const [all, reads, writes] = await Promise.all(
    ["/readyz", "/readyz/reads", "/readyz/writes"].map((path) => client.call(path, { key: null })),
  );
  return { all: all?.status ?? 0, reads: reads?.status ?? 0, writes: writes?.status ?? 0 };
}

/** Renames an animal. On a busy machine, an update may miss the service's deadline, and is repeated. */
async function rename(instance: Instance, id: number, name: string): Promise<void> {
  await until(async () => {
    const { status } = await instance.client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name } });
    if (status !== 503) expect(status).toBe(200);
    return status === 200;
  });
}

/** Reads through every instance, more often than there are servers. Fails if a response does not show the animal. */
async function find(id: number, times: number, { key, name = rex.name }: FindOptions = {}): Promise<void> {
  for (let round = 0; round < times; round++) {
    const reads = [one, other, one, other, one, other].map(({ client }) =>
      client.call(`/v1/pets?id=${id}`, key === undefined ? {} : { key }),
    );
    for (const { status, json } of await Promise.all(reads)) {
      expect({ status, json }).toMatchObject({ status: 200, json: [{ id, name }] });
    }
  }
}

interface FindOptions {
  readonly key?: string;
  readonly name?: string;
}

/** Reads the animal for longer than instances trust a standby without the primary. */
async function findPastTrust(id: number, options?: FindOptions): Promise<void> {
  let isOver = false;
  const waited = Bun.sleep(trustMs + 1_000).then(() => {
    isOver = true;
  });
  await findUntil(id, () => isOver, options);
  await waited;
}

async function findUntil(id: number, holds: () => boolean, options?: FindOptions): Promise<void> {
  await until(async () => {
    await find(id, 1, options);
    return holds();
  });
}

async function createAndFindUntilLogged(reason: string): Promise<void> {
  for (const { notes } of instances) {
    await until(async () => {
      await createAndFind(1);
      return notes.some((note) => note.reason === reason);
    });
  }
}

async function createAndFind(times: number): Promise<void> {
  for (let round = 0; round < times; round++) await find(await create(round % 2 ? one : other), 1);
}

/** Reads through each instance until it reads from each of the standbys and has logged that the standby gets reads. */
async function untilReadFrom(...standbys: readonly PostgresServer[]): Promise<void> {
  for (const standby of standbys) {
    await using sql = new SQL({ url: standby.url, max: 1 });
    for (const { client, lastMessages } of instances) {
      // Looks for a recent read in pg_stat_activity, because the server's statistics are up to a second old.
      const [{ now }] = await sql`SELECT clock_timestamp()::text AS now`;
      await until(async () => {
        await client.call("/v1/pets?limit=1");
        const reads = await sql`
          SELECT 1 FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND query LIKE '%pets%' AND query_start > ${now}::timestamptz`;
        return reads.length > 0 && lastMessages.get(addressOf(standby)) === "a standby gets reads";
      });
    }
  }
}
