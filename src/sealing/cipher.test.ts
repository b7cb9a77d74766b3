import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { decrypt, encrypt, keyBytes } from "./cipher.ts";

test("every text is encrypted with a new random nonce of 96 bits", () => {
  const key = randomBytes(keyBytes);
  const encrypted = Array.from({ length: 2_000 }, () => Buffer.from(encrypt(key, "head", "a secret"), "base64url"));
  expect(new Set(encrypted.map((bytes) => bytes.toString("hex", 0, 12))).size).toBe(encrypted.length);
  for (let at = 0; at < 12; at++) expect(new Set(encrypted.map((bytes) => bytes[at])).size).toBeGreaterThan(200);
  for (const bytes of encrypted) expect(decrypt(key, "head", bytes.toString("base64url"))).toBe("a secret");
});
