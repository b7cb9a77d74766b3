import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../../test/support/wait.ts";
import { Replicas } from "./replicas.ts";
import { ReplicationWatch } from "./replication.ts";

/** The state of a primary and its only standby, and the stopwatch. */
const world = { elapsedMs: 0, written: "", replayed: "", startId: "", probeCount: 0 };
const readConnection = { interruptionCount: 0 };
let watch: ReplicationWatch;
let replicas: Replicas;
/** If set, the next read of the standby waits until this function is called. */
let respond: (() => void) | undefined;

beforeEach(async () => {
  Object.assign(world, { elapsedMs: 1_000, written: "0/10", replayed: "0/10", startId: "Monday", probeCount: 0 });
  readConnection.interruptionCount = 0;
  respond = undefined;
  const createPolledServer = (server: string, rows: () => unknown) => ({
    server,
    interruptionCount: 0,
    query: async <Row>() => [rows()] as Row[],
    close: async () => {},
  });
  const primary = createPolledServer("primary", () => ({
    written: world.written,
    startedAt: "Monday",
    names: "FIRST 1 (north)",
    name: "north",
    state: "streaming",
    syncState: "sync",
    replayed: world.written,
  }));
  const probe = createPolledServer("north", () => {
    world.probeCount++;
    return { name: "north", isInRecovery: true, replayed: world.replayed, startId: world.startId };
  });
  const reads = Object.assign(readConnection, {
    server: "north",
    query: async <Row>() => {
      if (respond) await new Promise<void>((resolve) => (respond = resolve));
      return ["north"] as Row[];
    },
    close: async () => {},
  });
  const note = () => {};
  watch = new ReplicationWatch(primary, note, () => world.elapsedMs);
  const onPrimary = { query: async <Row>() => ["primary"] as Row[] };
  replicas = new Replicas(onPrimary, [{ reads, probe }], watch, note);
  for (let round = 0; round < 12; round++) await advance();
  await untilProbed();
  await advance();
  await untilProbed();
  expect(await read()).toBe("north");
});

afterEach(async () => {
  await replicas.close();
  await watch.close();
});

async function advance(): Promise<void> {
  world.elapsedMs += 250;
  await watch.poll();
}

async function untilProbed(): Promise<void> {
  const before = world.probeCount;
  await until(() => world.probeCount > before + 1);
}

async function read(): Promise<unknown> {
  return (await replicas.query("SELECT"))[0];
}

test("a standby that has closed a connection gets no reads until it shows a write that was made afterwards", async () => {
  readConnection.interruptionCount++;
  expect(await read()).toBe("primary");
  // A write after the restart: once the standby shows it, the standby also shows everything that it had shown before.
  world.written = "0/20";
  await watch.poll();
  await untilProbed();
  expect(await read()).toBe("primary");
  await advance();
  await untilProbed();
  expect(await read()).toBe("primary");
  world.replayed = "0/20";
  await untilProbed();
  expect(await read()).toBe("north");
});

test("the next probe detects a restart behind a pooler, and the standby gets no reads until it shows a later write", async () => {
  world.startId = "Tuesday";
  await untilProbed();
  expect(await read()).toBe("primary");
  await advance();
  await untilProbed();
  expect(await read()).toBe("north");
});

test("a response is not used if the standby has closed a connection during the read", async () => {
  respond = () => {};
  const reading = read();
  readConnection.interruptionCount++;
  respond();
  expect(await reading).toBe("primary");
});
