import { expect, test } from "bun:test";
import { ConnectionTimeouts } from "./connection-timeouts.ts";

const limits = { idleMs: 75_000, headMs: 10_000, stalledMs: 5_000, lingerMs: 2_000 };

function start(others: Partial<typeof limits> = {}) {
  const clock = { nowMs: 1_000 };
  const patience = new ConnectionTimeouts(clock, { ...limits, ...others });
  const pass = (milliseconds: number) => {
    clock.nowMs += milliseconds;
  };
  const expectItLasts = (milliseconds: number) => {
    const { nowMs } = clock;
    pass(milliseconds - 1);
    expect(patience.isOver).toBe(false);
    pass(1);
    expect(patience.isOver).toBe(true);
    clock.nowMs = nowMs;
  };
  return { patience, pass, expectItLasts };
}

test("a first request has the time of a head, which neither empty lines extend nor its parts", () => {
  const { patience, expectItLasts, pass } = start();
  expectItLasts(10_000);
  pass(4_000);
  patience.awaitRestOfHead();
  expectItLasts(6_000);
  patience.awaitRequest();
  expectItLasts(6_000);
});

test("no head may take longer than a connection may be idle", () => {
  const { patience, expectItLasts } = start({ idleMs: 3_000 });
  patience.beginRequest();
  patience.beIdle();
  patience.awaitRestOfHead();
  expectItLasts(3_000);
});

test("a further one may take long to begin, and then no longer than a head", () => {
  const { patience, expectItLasts, pass } = start();
  patience.beginRequest();
  patience.beIdle();
  patience.awaitRequest();
  expectItLasts(75_000);
  pass(70_000);
  patience.awaitRestOfHead();
  expectItLasts(10_000);
  pass(9_000);
  patience.awaitRestOfHead();
  expectItLasts(1_000);
});

test("a body that nobody reads is waited for as long as it moves", () => {
  const { patience, expectItLasts, pass } = start();
  patience.beginRequest();
  patience.awaitRestOfBody();
  pass(74_000);
  patience.awaitRestOfBody();
  expectItLasts(75_000);
  patience.awaitRequest();
  expectItLasts(75_000);
});

test("a response has the time of an idle connection to be taken, and less if the client is hurried", () => {
  const { patience, expectItLasts } = start();
  patience.awaitTaking();
  expectItLasts(75_000);
  patience.hurry(true);
  patience.awaitTaking();
  expectItLasts(5_000);
  patience.beIdle();
  patience.awaitTaking();
  expectItLasts(75_000);
});

test("a client that takes a little of its response now and then is not stalled", () => {
  const { patience, pass } = start();
  patience.awaitTaking();
  for (const unsent of [9_000, 8_000, 7_000]) {
    pass(4_000);
    expect(patience.isStalled(unsent)).toBe(false);
  }
  pass(4_000);
  expect(patience.isStalled(7_000)).toBe(false);
  pass(1_000);
  expect(patience.isStalled(7_000)).toBe(true);
});

test("what is sent to it later has the whole time again", () => {
  const { patience, pass } = start();
  patience.awaitTaking();
  pass(4_000);
  expect(patience.isStalled(7_000)).toBe(false);
  patience.awaitTaking();
  pass(4_000);
  expect(patience.isStalled(9_000)).toBe(false);
  pass(1_000);
  expect(patience.isStalled(9_000)).toBe(true);
});

test("the service may take its time, and the last response is waited for only briefly", () => {
  const { patience, pass, expectItLasts } = start();
  patience.waitForEver();
  pass(1e9);
  expect(patience.isOver).toBe(false);
  patience.linger();
  expectItLasts(2_000);
});
