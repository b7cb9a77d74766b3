import { describe, expect, test } from "bun:test";
import { Throttle } from "./throttle.ts";

describe("the throttle", () => {
  const isRefused = (throttle: Throttle, address: string, key = "key") => {
    try {
      throttle.check(address, key);
      return false;
    } catch {
      return true;
    }
  };

  test("takes a whole network of version 6 for one", () => {
    const throttle = new Throttle(() => 0, 3);
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"]) throttle.recordWrong(address);
    expect(isRefused(throttle, "2001:db8:1:2:ffff::9")).toBe(true);
    expect(isRefused(throttle, "2001:db8:1:3::1")).toBe(false);
    expect(isRefused(throttle, "::1")).toBe(false);
  });

  test("is wary only while somebody may be guessing", () => {
    let now = 0;
    const throttle = new Throttle(() => now, 3);
    expect(throttle.isWary).toBe(false);
    throttle.recordWrong("203.0.113.1");
    expect(throttle.isWary).toBe(true);
    now = 60_000;
    expect(throttle.isWary).toBe(false);
  });

  test("remembers 10,000 addresses and forgets the oldest", () => {
    const throttle = new Throttle(() => 0, 1);
    for (let count = 0; count <= 10_000; count++) throttle.recordWrong(`address ${count}`);
    expect(isRefused(throttle, "address 0")).toBe(false);
    expect(isRefused(throttle, "address 1")).toBe(true);
    expect(isRefused(throttle, "address 10000")).toBe(true);
  });

  test("lets a key go on only where it has been right", () => {
    const throttle = new Throttle(() => 0, 1);
    throttle.recordRight("203.0.113.1", "right");
    for (const address of ["203.0.113.1", "203.0.113.2"]) throttle.recordWrong(address);
    expect(isRefused(throttle, "203.0.113.1", "right")).toBe(false);
    expect(isRefused(throttle, "203.0.113.2", "right")).toBe(true);
  });
});
