import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../../../test/support/wait.ts";
import { Replicas } from "./replicas.ts";
import { ReplicationWatch } from "./replication.ts";

/** What a primary and its only standby would say, and the stopwatch of whoever asks them. */
const world = { passed: 0, written: "", replayed: "", life: "", probes: 0 };
const ofReads = { interruptionCount: 0 };
let watch: ReplicationWatch;
let replicas: Replicas;
/** Holds up the next read of the standby, until it is called. */
let answer: (() => void) | undefined;

beforeEach(async () => {
  Object.assign(world, { passed: 1_000, written: "0/10", replayed: "0/10", life: "Monday", probes: 0 });
  ofReads.interruptionCount = 0;
  answer = undefined;
  const asked = (server: string, rows: () => unknown) => ({
    server,
    interruptionCount: 0,
    query: async <Row>() => [rows()] as Row[],
    close: async () => {},
  });
  const primary = asked("primary", () => ({
    written: world.written,
    startedAt: "Monday",
    names: "FIRST 1 (north)",
    name: "north",
    state: "streaming",
    syncState: "sync",
    replayed: world.written,
  }));
  const probe = asked("north", () => {
    world.probes++;
    return { name: "north", isInRecovery: true, replayed: world.replayed, life: world.life };
  });
  const reads = Object.assign(ofReads, {
    server: "north",
    query: async <Row>() => {
      if (answer) await new Promise<void>((resolve) => (answer = resolve));
      return ["north"] as Row[];
    },
    close: async () => {},
  });
  const note = () => {};
  watch = new ReplicationWatch(primary, note, () => world.passed);
  const onPrimary = { query: async <Row>() => ["primary"] as Row[] };
  replicas = new Replicas(onPrimary, [{ reads, probe }], watch, note);
  for (let turn = 0; turn < 12; turn++) await pass();
  await untilProbed();
  await pass();
  await untilProbed();
  expect(await read()).toBe("north");
});

afterEach(async () => {
  await replicas.close();
  await watch.close();
});

async function pass(): Promise<void> {
  world.passed += 250;
  await watch.poll();
}

/** Until the standby has been asked once more, and the answer has been considered. */
async function untilProbed(): Promise<void> {
  const before = world.probes;
  await until(() => world.probes > before + 1);
}

async function read(): Promise<unknown> {
  return (await replicas.query("SELECT"))[0];
}

test("a standby that has closed a connection gets no reads until it shows what was written after that", async () => {
  ofReads.interruptionCount++;
  expect(await read()).toBe("primary");
  // It shows what was written a moment ago, but has shown more before it was restarted.
  world.written = "0/20";
  await watch.poll();
  await untilProbed();
  expect(await read()).toBe("primary");
  await pass();
  await untilProbed();
  expect(await read()).toBe("primary");
  world.replayed = "0/20";
  await untilProbed();
  expect(await read()).toBe("north");
});

test("so does one that was restarted behind a pooler, as soon as it is asked how it is", async () => {
  world.life = "Tuesday";
  await untilProbed();
  expect(await read()).toBe("primary");
  await pass();
  await untilProbed();
  expect(await read()).toBe("north");
});

test("what it answers after it has closed a connection is not used, though it was asked before", async () => {
  answer = () => {};
  const asked = read();
  ofReads.interruptionCount++;
  answer();
  expect(await asked).toBe("primary");
});
