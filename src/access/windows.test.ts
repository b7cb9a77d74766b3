import { expect, test } from "bun:test";
import { Windows } from "./windows.ts";

test("each name has a window of its own, which starts with the first that is counted in it", () => {
  const windows = new Windows<string>(1_000);
  expect(windows.count("a", 500)).toEqual({ end: 1_500, used: 1 });
  expect(windows.count("b", 600)).toEqual({ end: 1_600, used: 1 });
  expect(windows.count("a", 1_499)).toEqual({ end: 1_500, used: 2 });
  expect([windows.find("a", 1_499)?.used, windows.find("a", 1_500), windows.find("c", 600)]).toEqual([
    2,
    undefined,
    undefined,
  ]);
  expect(windows.count("a", 1_500)).toEqual({ end: 2_500, used: 1 });
});

test("beyond as many as are remembered, the oldest window is forgotten", () => {
  const windows = new Windows<string>(1_000, 2);
  for (const name of ["a", "b"]) windows.count(name, 0);
  // One that begins anew is no longer the oldest.
  windows.count("a", 1_000);
  windows.count("c", 1_000);
  expect(windows.count("a", 1_001).used).toBe(2);
  expect(windows.count("c", 1_001).used).toBe(2);
  windows.count("d", 1_002);
  expect(windows.count("c", 1_003).used).toBe(3);
  expect(windows.count("a", 1_003).used).toBe(1);
});
