import { expect, test } from "bun:test";
import { SlidingWindow } from "./sliding-window.ts";

test("an event counts for the length of a sliding window, and for at most a tenth longer", () => {
  const window = new SlidingWindow(1_000);
  const times = [0, 90, 100, 250, 999];
  for (const at of times) window.add(at);
  for (let now = 999; now < 2_200; now++) {
    const count = window.count(now);
    expect(count).toBeGreaterThanOrEqual(times.filter((at) => now < at + 1_000).length);
    expect(count).toBeLessThanOrEqual(times.filter((at) => now < at + 1_100).length);
  }
});

test("a sliding window reports the time until its oldest events expire", () => {
  const window = new SlidingWindow(1_000);
  expect(window.expiresInMs(5)).toBe(1_000);
  window.add(5);
  window.add(600);
  expect(window.expiresInMs(700)).toBe(305);
  expect(window.count(1_005)).toBe(1);
  expect(window.expiresInMs(1_005)).toBe(595);
});

test("a sliding window finds an item for as long as the item counts", () => {
  const window = new SlidingWindow(1_000);
  window.add(0, "a");
  window.add(500, "b");
  expect([window.has("a", 999), window.has("b", 999), window.has("c", 999)]).toEqual([true, true, false]);
  expect([window.has("a", 1_000), window.has("b", 1_000)]).toEqual([false, true]);
});

test("the memory of a sliding window is bounded, however many events it counts", () => {
  const window = new SlidingWindow(1_000);
  for (let at = 0; at < 10_000; at++) {
    window.add(at);
    window.count(at);
  }
  expect(window.spans.length).toBeLessThanOrEqual(11);
});
