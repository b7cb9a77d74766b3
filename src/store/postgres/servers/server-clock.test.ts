import { afterEach, expect, test } from "bun:test";
import { type ServerClock, startServerClock } from "./server-clock.ts";

/** A server that queries reach after `there` ms, whose responses take `back` ms, and the stopwatch. */
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

test("the clock follows the server and goes on between polls", async () => {
  await start();
  expect(errorMs()).toBeLessThanOrEqual(1);
  world.passed += 3_600_000;
  expect(errorMs()).toBeLessThanOrEqual(1);
});

test("a response with a long delay in one direction does not move the clock", async () => {
  await start();
  Object.assign(world, { there: 1, back: 4_000 });
  for (let round = 0; round < 20; round++) await clock.check();
  expect(errorMs()).toBeLessThanOrEqual(100);
});

test("the clock follows a server whose clock runs a little faster", async () => {
  await start();
  for (let round = 0; round < 1_000; round++) {
    world.passed += 5_000;
    world.serverAhead += 2;
    await clock.check();
    expect(errorMs()).toBeLessThanOrEqual(8);
  }
});

test.each([3_600_000, -3_600_000])("the clock follows a server whose clock was set by %d ms", async (step) => {
  await start();
  world.serverAhead += step;
  await clock.check();
  expect(errorMs()).toBeLessThanOrEqual(1);
});
