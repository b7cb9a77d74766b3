import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { decrypt, encrypt, secretBytes } from "./cipher.ts";

test("no two texts are hidden with the same nonce, which would tell what they have in common", () => {
  const secret = randomBytes(secretBytes);
  const hidden = Array.from({ length: 2_000 }, () => Buffer.from(encrypt(secret, "head", "a secret"), "base64url"));
  // Its 96 bits, which come first, are all random, so that no few of them are the same in all of these.
  expect(new Set(hidden.map((bytes) => bytes.toString("hex", 0, 12))).size).toBe(hidden.length);
  for (let at = 0; at < 12; at++) expect(new Set(hidden.map((bytes) => bytes[at])).size).toBeGreaterThan(200);
  expect(hidden.map((bytes) => decrypt(secret, "head", bytes.toString("base64url")))).toEqual(
    hidden.map(() => "a secret"),
  );
});
