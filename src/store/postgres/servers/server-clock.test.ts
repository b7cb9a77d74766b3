import { afterEach, expect, test } from "bun:test";
import { startServerClock } from "./server-clock.ts";

/** The state of the server's clock, of the network in both directions, and of the stopwatch. */
const world = { elapsedMs: 1_000, serverAheadMs: 5_000_000, requestMs: 0, responseMs: 0 };
let clock: Awaited<ReturnType<typeof startServerClock>>;
afterEach(() => clock.close());

async function start(): Promise<void> {
  Object.assign(world, { elapsedMs: 1_000, serverAheadMs: 5_000_000, requestMs: 1, responseMs: 1 });
  clock = await startServerClock(
    async <Row>() => {
      world.elapsedMs += world.requestMs;
      const now = String(world.elapsedMs + world.serverAheadMs);
      world.elapsedMs += world.responseMs;
      return [{ now }] as Row[];
    },
    () => world.elapsedMs,
  );
}

const errorMs = () => Math.abs(clock.now() - (world.elapsedMs + world.serverAheadMs));

test("the clock follows the server and advances between polls", async () => {
  await start();
  expect(errorMs()).toBeLessThanOrEqual(1);
  world.elapsedMs += 3_600_000;
  expect(errorMs()).toBeLessThanOrEqual(1);
});

test("a response with a long delay in one direction does not move the clock", async () => {
  await start();
  Object.assign(world, { requestMs: 1, responseMs: 4_000 });
  for (let round = 0; round < 20; round++) await clock.update();
  expect(errorMs()).toBeLessThanOrEqual(100);
});

test("the clock follows a server whose clock runs a little faster", async () => {
  await start();
  for (let round = 0; round < 1_000; round++) {
    world.elapsedMs += 5_000;
    world.serverAheadMs += 2;
    await clock.update();
    expect(errorMs()).toBeLessThanOrEqual(8);
  }
});

test.each([3_600_000, -3_600_000])("the clock follows a server whose clock was set by %d ms", async (step) => {
  await start();
  world.serverAheadMs += step;
  await clock.update();
  expect(errorMs()).toBeLessThanOrEqual(1);
});
