import { afterEach, beforeEach, expect, test } from "bun:test";
import { ReplicationWatch } from "./replication.ts";

/** What a primary would say of its only standby, and the stopwatch of whoever asks it. */
const world = { passed: 0, startedAt: "", syncState: "" };
let watch: ReplicationWatch;

beforeEach(async () => {
  Object.assign(world, { passed: 1_000, startedAt: "Monday", syncState: "async" });
  watch = new ReplicationWatch(
    {
      server: "primary",
      query: async <Row>() => {
        const { startedAt, syncState } = world;
        const standby = { name: "north", state: "streaming", syncState, replayed: "0/2" };
        return [{ written: "0/1", startedAt, names: "FIRST 1 (north)", ...standby }] as Row[];
      },
      close: async () => {},
    },
    () => {},
    () => world.passed,
  );
  await watch.poll();
});

afterEach(() => watch.close());

/** Asks four times a second, as it does by itself. */
async function pass(milliseconds: number): Promise<void> {
  for (const end = world.passed + milliseconds; world.passed < end; ) {
    world.passed += Math.min(250, end - world.passed);
    await watch.poll();
  }
}

test("a standby is established only when every instance has had the time to see that commits wait for it", async () => {
  await pass(10_000);
  expect(watch.isEstablished("north")).toBe(false);
  world.syncState = "sync";
  await watch.poll();
  expect(watch.latest?.standbys.get("north")?.isWaitedFor).toBe(true);
  expect(watch.isEstablished("north")).toBe(false);
  await pass(1_999);
  expect(watch.isEstablished("north")).toBe(false);
  await pass(1);
  expect(watch.isEstablished("north")).toBe(true);
});

test.each([
  [
    "commits do not wait for it for a moment",
    async () => {
      world.syncState = "potential";
      await watch.poll();
      world.syncState = "sync";
    },
  ],
  [
    "the primary is another server, or was restarted",
    async () => {
      world.startedAt = "Tuesday";
    },
  ],
  [
    "the primary was not asked for longer than anything is believed",
    async () => {
      world.passed += 2_001;
    },
  ],
])("it is established anew if %s", async (_, happen) => {
  world.syncState = "sync";
  await pass(4_000);
  expect(watch.isEstablished("north")).toBe(true);
  await happen();
  await watch.poll();
  expect(watch.isEstablished("north")).toBe(false);
  await pass(1_999);
  expect(watch.isEstablished("north")).toBe(false);
  await pass(1);
  expect(watch.isEstablished("north")).toBe(true);
});
