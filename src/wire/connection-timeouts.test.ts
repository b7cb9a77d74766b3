import { expect, test } from "bun:test";
import { ConnectionTimeouts } from "./connection-timeouts.ts";

const limits = { idleMs: 75_000, headMs: 10_000, stalledMs: 5_000, lingerMs: 2_000 };

function start(others: Partial<typeof limits> = {}) {
  const clock = { nowMs: 1_000 };
  const timeouts = new ConnectionTimeouts(clock, { ...limits, ...others });
  const pass = (milliseconds: number) => {
    clock.nowMs += milliseconds;
  };
  const expectTimeLeft = (milliseconds: number) => {
    const { nowMs } = clock;
    pass(milliseconds - 1);
    expect(timeouts.isExpired).toBe(false);
    pass(1);
    expect(timeouts.isExpired).toBe(true);
    clock.nowMs = nowMs;
  };
  return { timeouts, pass, expectTimeLeft };
}

test("the first head must arrive within the head timeout, which neither empty lines nor parts of the head extend", () => {
  const { timeouts, expectTimeLeft, pass } = start();
  expectTimeLeft(10_000);
  pass(4_000);
  timeouts.awaitHead();
  expectTimeLeft(6_000);
  timeouts.awaitRequest();
  expectTimeLeft(6_000);
});

test("the head timeout is never longer than the idle timeout", () => {
  const { timeouts, expectTimeLeft } = start({ idleMs: 3_000 });
  timeouts.startIdleTimeout();
  timeouts.awaitHead();
  expectTimeLeft(3_000);
});

test("the next head may start until the idle timeout, and must then arrive within the head timeout", () => {
  const { timeouts, expectTimeLeft, pass } = start();
  timeouts.startIdleTimeout();
  timeouts.awaitRequest();
  expectTimeLeft(75_000);
  pass(70_000);
  timeouts.awaitHead();
  expectTimeLeft(10_000);
  pass(9_000);
  timeouts.awaitHead();
  expectTimeLeft(1_000);
});

test("an unread body keeps its connection open as long as parts of it arrive", () => {
  const { timeouts, expectTimeLeft, pass } = start();
  timeouts.awaitBody();
  pass(74_000);
  timeouts.awaitBody();
  expectTimeLeft(75_000);
  timeouts.awaitRequest();
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
  const { timeouts, pass } = start();
  timeouts.startWriteTimeout();
  for (const unsent of [9_000, 8_000, 7_000]) {
    pass(4_000);
    expect(timeouts.isStalled(unsent)).toBe(false);
  }
  pass(4_000);
  expect(timeouts.isStalled(7_000)).toBe(false);
  pass(1_000);
  expect(timeouts.isStalled(7_000)).toBe(true);
});

test("the time after which a client counts as stalled restarts with each response", () => {
  const { timeouts, pass } = start();
  timeouts.startWriteTimeout();
  pass(4_000);
  expect(timeouts.isStalled(7_000)).toBe(false);
  timeouts.startWriteTimeout();
  pass(4_000);
  expect(timeouts.isStalled(9_000)).toBe(false);
  pass(1_000);
  expect(timeouts.isStalled(9_000)).toBe(true);
});

test("a connection that waits for the service has no deadline, and one that lingers has a short one", () => {
  const { timeouts, pass, expectTimeLeft } = start();
  timeouts.clearDeadline();
  pass(1e9);
  expect(timeouts.isExpired).toBe(false);
  timeouts.startLingerTimeout();
  expectTimeLeft(2_000);
});
