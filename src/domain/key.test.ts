import { expect, test } from "bun:test";
import type { Scope } from "./key.ts";
import { getKeyState, includesScope, type Key, requireGrantable, scopes } from "./key.ts";
import { generateKey, hashKey, isWellFormedKey } from "./key-secret.ts";

test("a key has a prefix, 30 random characters and a checksum of 6 characters", () => {
  const keys = Array.from({ length: 1000 }, generateKey);
  for (const key of keys) {
    expect(key).toMatch(/^ask_[0-9A-Za-z]{36}$/);
    expect(isWellFormedKey(key)).toBe(true);
  }
  expect(new Set(keys).size).toBe(1000);
});

test("all 62 characters are equally likely in a key", () => {
  const counts = new Map<string, number>();
  for (let count = 0; count < 10_000; count++) {
    for (const character of generateKey().slice(4, 34)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  // Each character occurs about 4839 times among 300,000; six standard deviations are 414.
  for (const count of counts.values()) expect(Math.abs(count - 4839)).toBeLessThan(414);
});

test("the checksum detects a changed character and two swapped neighbours", () => {
  const key = generateKey();
  for (let index = 0; index < key.length; index++) {
    const changed = key.slice(0, index) + (key[index] === "x" ? "y" : "x") + key.slice(index + 1);
    expect(isWellFormedKey(changed)).toBe(false);
    const [one = "", other = ""] = key.slice(index, index + 2);
    if (one === other || !other) continue;
    expect(isWellFormedKey(key.slice(0, index) + other + one + key.slice(index + 2))).toBe(false);
  }
});

test("the checksum is CRC-32, so that secret scanners can recognise keys", () => {
  const key = generateKey();
  expect(computeChecksum(key.slice(0, 34))).toBe(key.slice(34));
});

test("a key is stored as its SHA-256 hash", () => {
  expect(hashKey("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a key is active until it expires, is rotated or is revoked", () => {
  const key: Key = {
    id: 1,
    family: 1,
    name: "",
    scope: "read",
    createdAt: 0,
    expiresAt: 100,
    revokedAt: null,
    rotatedAt: null,
    lastUsedAt: null,
  };
  expect(getKeyState(key, 99)).toBe("active");
  expect(getKeyState(key, 100)).toBe("expired");
  expect(getKeyState({ ...key, expiresAt: null }, 1e15)).toBe("active");
  expect(getKeyState({ ...key, revokedAt: 50 }, 99)).toBe("revoked");
  expect(getKeyState({ ...key, rotatedAt: 50 }, 99)).toBe("retiring");
  expect(getKeyState({ ...key, rotatedAt: 50 }, 100)).toBe("expired");
});

test("each scope includes the scopes before it", () => {
  const included = scopes.map((held) => scopes.filter((needed) => includesScope(held, needed)));
  expect(included).toEqual([["read"], ["read", "write"], ["read", "write", "admin"]]);
});

/** Computes the checksum independently: CRC-32 bit by bit, then six digits in base 62. */
function computeChecksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let digits = "";
  for (let index = 0; index < 6; index++) {
    const digit = rest % 62;
    digits = (digit < 10 ? String(digit) : String.fromCharCode(digit < 36 ? digit + 55 : digit + 61)) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

const grantKey = (caller: Scope, scope: Scope) => () =>
  requireGrantable({ name: "", scope, createdAt: 0, expiresAt: null }, { scope: caller, expiresAt: null });

test("a key cannot create a key with a larger scope than its own", () => {
  for (const [own, caller] of scopes.entries()) {
    for (const [other, scope] of scopes.entries()) {
      if (other <= own) expect(grantKey(caller, scope)).not.toThrow();
      else
        expect(grantKey(caller, scope)).toThrow(
          `This key has the scope ${caller}, so it cannot create a key with the scope ${scope}.`,
        );
    }
  }
});
