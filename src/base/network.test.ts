import { expect, test } from "bun:test";
import { isNetwork } from "./network.ts";

test.each(["10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "::1", "fd00::/8", "::/128"])("isNetwork accepts %s", (text) => {
  expect(isNetwork(text)).toBe(true);
});

test.each(["", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "10.0.0.0/8/8", "10.0.0.0/x"])(
  "isNetwork rejects %p",
  (text) => {
    expect(isNetwork(text)).toBe(false);
  },
);
