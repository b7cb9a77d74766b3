import { expect, test } from "bun:test";
import { ConnectionTimeouts } from "./connection-timeouts.ts";

const limits = { idleMs: 75_000, headMs: 10_000, stalledMs: 5_000, lingerMs: 2_000 };

function start(others: Partial<typeof limits> = {}) {
  const clock = { nowMs: 1_000 };
  const timeouts = new ConnectionTimeouts(clock, { ...limits, ...others });
  const advanceClock = (milliseconds: number) => {
    clock.nowMs += milliseconds;
  };
  const expectTimeLeft = (milliseconds: number) => {
    const { nowMs } = clock;
    advanceClock(milliseconds - 1);
    expect(timeouts.isExpired).toBe(false);
    advanceClock(1);
    expect(timeouts.isExpired).toBe(true);
    clock.nowMs = nowMs;
  };
  return { timeouts, advanceClock, expectTimeLeft };
}

test("the first head must arrive within the head timeout, which neither empty lines nor parts of the head extend", () => {
  const { timeouts, expectTimeLeft, advanceClock } = start();
  expectTimeLeft(10_000);
  advanceClock(4_000);
  timeouts.startHeadTimeout();
  expectTimeLeft(6_000);
  timeouts.resumeIdleTimeout();
  expectTimeLeft(6_000);
});

test("the head timeout is never longer than the idle timeout", () => {
  const { timeouts, expectTimeLeft } = start({ idleMs: 3_000 });
  timeouts.startIdleTimeout();
  timeouts.startHeadTimeout();
  expectTimeLeft(3_000);
});

test("the next head may start until the idle timeout, and must then arrive within the head timeout", () => {
  const { timeouts, expectTimeLeft, advanceClock } = start();
  timeouts.startIdleTimeout();
  timeouts.resumeIdleTimeout();
  expectTimeLeft(75_000);
  advanceClock(70_000);
  timeouts.startHeadTimeout();
  expectTimeLeft(10_000);
  advanceClock(9_000);
  timeouts.startHeadTimeout();
  expectTimeLeft(1_000);
});

test("an unread body keeps its connection open as long as parts of it arrive", () => {
  const { timeouts, expectTimeLeft, advanceClock } = start();
  timeouts.restartBodyTimeout();
  advanceClock(74_000);
  timeouts.restartBodyTimeout();
  expectTimeLeft(75_000);
  timeouts.resumeIdleTimeout();
  expectTimeLeft(75_000);
});

test("a client must read within the idle timeout, or within the short write timeout if that is set", () => {
  const { timeouts, expectTimeLeft } = start();
  timeouts.startWriteTimeout();
  expectTimeLeft(75_000);
  timeouts.useShortWriteTimeout(true);
  timeouts.startWriteTimeout();
  expectTimeLeft(5_000);
  timeouts.startIdleTimeout();
  timeouts.startWriteTimeout();
  expectTimeLeft(75_000);
});

test("a client that reads slowly but steadily is not stalled", () => {
  const { timeouts, advanceClock } = start();
  timeouts.startWriteTimeout();
  for (const unsent of [9_000, 8_000, 7_000]) {
    advanceClock(4_000);
    expect(timeouts.isStalled(unsent)).toBe(false);
  }
  advanceClock(4_000);
  expect(timeouts.isStalled(7_000)).toBe(false);
  advanceClock(1_000);
  expect(timeouts.isStalled(7_000)).toBe(true);
});

test("the time after which a client counts as stalled restarts with each response", () => {
  const { timeouts, advanceClock } = start();
  timeouts.startWriteTimeout();
  advanceClock(4_000);
  expect(timeouts.isStalled(7_000)).toBe(false);
  timeouts.startWriteTimeout();
  advanceClock(4_000);
  expect(timeouts.isStalled(9_000)).toBe(false);
  advanceClock(1_000);
  expect(timeouts.isStalled(9_000)).toBe(true);
});

test("a connection has no deadline while it waits for the service, and a short one while it lingers", () => {
  const { timeouts, advanceClock, expectTimeLeft } = start();
  timeouts.clearDeadline();
  advanceClock(1e9);
  expect(timeouts.isExpired).toBe(false);
  timeouts.startLingerTimeout();
  expectTimeLeft(2_000);
});
