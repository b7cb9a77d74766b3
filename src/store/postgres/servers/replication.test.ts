import { afterEach, beforeEach, expect, test } from "bun:test";
import { ReplicationWatch } from "./replication.ts";

const world = { elapsedMs: 0, startedAt: "", syncState: "" };
let watch: ReplicationWatch;

beforeEach(async () => {
  Object.assign(world, { elapsedMs: 1_000, startedAt: "Monday", syncState: "async" });
  watch = new ReplicationWatch(
    {
      server: "primary",
      query: async <Row>() => {
        const { startedAt, syncState } = world;
        const standby = { name: "north", state: "streaming", syncState, replayed: "0/2" };
        return [{ written: "0/1", startedAt, names: "FIRST 1 (north, south)", ...standby }] as Row[];
      },
      close: async () => {},
    },
    () => {},
    () => world.elapsedMs,
  );
  await watch.poll();
});

afterEach(() => watch.close());

/** Advances the stopwatch, and polls four times a second, as the watch does on its own. */
async function advance(milliseconds: number): Promise<void> {
  for (const end = world.elapsedMs + milliseconds; world.elapsedMs < end; ) {
    world.elapsedMs += Math.min(250, end - world.elapsedMs);
    await watch.poll();
  }
}

test("a standby counts as established once every instance has had time to notice that commits wait for the standby", async () => {
  await advance(10_000);
  expect(watch.isEstablished("north")).toBe(false);
  world.syncState = "sync";
  await watch.poll();
  expect(watch.latestSample?.standbys.get("north")?.isWaitedFor).toBe(true);
  expect(watch.isEstablished("north")).toBe(false);
  await advance(1_999);
  expect(watch.isEstablished("north")).toBe(false);
  await advance(1);
  expect(watch.isEstablished("north")).toBe(true);
});

test.each([
  [
    "commits briefly stop waiting for the standby",
    async () => {
      world.syncState = "potential";
      await watch.poll();
      world.syncState = "sync";
    },
  ],
  ["the primary was replaced or restarted", async () => Object.assign(world, { startedAt: "Tuesday" })],
  ["the last poll is too old", async () => Object.assign(world, { elapsedMs: world.elapsedMs + 2_001 })],
])("a standby is no longer established, and must wait the full time again, if %s", async (_, change) => {
  world.syncState = "sync";
  await advance(4_000);
  expect(watch.isEstablished("north")).toBe(true);
  await change();
  await watch.poll();
  expect(watch.isEstablished("north")).toBe(false);
  await advance(1_999);
  expect(watch.isEstablished("north")).toBe(false);
  await advance(1);
  expect(watch.isEstablished("north")).toBe(true);
});
