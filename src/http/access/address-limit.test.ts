import { expect, test } from "bun:test";
import { AddressLimit } from "./address-limit.ts";

const createLimit = (requests: number, stopwatch = () => 0) =>
  new AddressLimit({ requests, seconds: 60 }, stopwatch, "anonymous", "Too many.");
const isRefused = (limit: AddressLimit, address: string) => {
  try {
    limit.count(address);
    return false;
  } catch {
    return true;
  }
};

test("addresses of the same /64 network of IPv6 share a limit", () => {
  const limit = createLimit(3);
  for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"]) limit.count(address);
  expect(isRefused(limit, "2001:db8:1:2:ffff::9")).toBe(true);
  expect(isRefused(limit, "2001:db8:1:3::1")).toBe(false);
  expect(isRefused(limit, "::1")).toBe(false);
});

test("an IP address may send requests again after the window", () => {
  let now = 0;
  const limit = createLimit(1, () => now);
  limit.count("203.0.113.1");
  expect(isRefused(limit, "203.0.113.1")).toBe(true);
  now = 60_000;
  expect(isRefused(limit, "203.0.113.1")).toBe(false);
});

test("the limit per IP address remembers 10,000 addresses, and forgets the oldest", () => {
  const limit = createLimit(1);
  for (let count = 0; count <= 10_000; count++) limit.count(`address ${count}`);
  expect(isRefused(limit, "address 10000")).toBe(true);
  expect(isRefused(limit, "address 1")).toBe(true);
  expect(isRefused(limit, "address 0")).toBe(false);
});
