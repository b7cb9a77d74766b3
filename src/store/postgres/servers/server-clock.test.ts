import { afterEach, expect, test } from "bun:test";
import { type ServerClock, startServerClock } from "./server-clock.ts";

/** A server that is `there` ms away and whose answers take `back` ms, and the stopwatch of whoever asks it. */
const world = { passed: 1_000, serverAhead: 5_000_000, there: 0, back: 0 };
let clock: ServerClock;
afterEach(() => clock.close());

async function start(): Promise<void> {
  Object.assign(world, { passed: 1_000, serverAhead: 5_000_000, there: 1, back: 1 });
  clock = await startServerClock(
    async <Row>() => {
      world.passed += world.there;
      const now = String(world.passed + world.serverAhead);
      world.passed += world.back;
      return [{ now }] as Row[];
    },
    () => world.passed,
  );
}

const errorMs = () => Math.abs(clock.now() - (world.passed + world.serverAhead));

test("the clock is the server's, and goes on by itself", async () => {
  await start();
  expect(errorMs()).toBeLessThanOrEqual(1);
  world.passed += 3_600_000;
  expect(errorMs()).toBeLessThanOrEqual(1);
});

test("an answer that was long under way, on one leg only, does not move it", async () => {
  await start();
  Object.assign(world, { there: 1, back: 4_000 });
  for (let turn = 0; turn < 20; turn++) await clock.check();
  expect(errorMs()).toBeLessThanOrEqual(100);
});

test("it follows a server's clock that runs a little faster", async () => {
  await start();
  for (let turn = 0; turn < 1_000; turn++) {
    world.passed += 5_000;
    world.serverAhead += 2;
    await clock.check();
    expect(errorMs()).toBeLessThanOrEqual(8);
  }
});

test.each([3_600_000, -3_600_000])("it follows a server whose clock was set by %d ms", async (step) => {
  await start();
  world.serverAhead += step;
  await clock.check();
  expect(errorMs()).toBeLessThanOrEqual(1);
});
