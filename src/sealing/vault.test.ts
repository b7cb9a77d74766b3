import { expect, test } from "bun:test";
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "../domain/key.ts";
import { Vaults } from "./vault.ts";

const stored: Caller = { name: "till 1", key: 7, family: 7, scope: "admin", expiresAt: null };
const configured: Caller = { ...stored, name: "environment", key: "environment", family: "environment" };
const apiKey = "a key with umläuts";
/** The key as it arrives in a header: one character for each byte of UTF-8. */
const token = Buffer.from(apiKey).toString("latin1");

/** Shared by the tests, so that the slow derivation runs once. */
const vaults = new Vaults();

test("a vault of a stored key uses a new salt for each text", async () => {
  const vault = vaults.of(token, stored);
  const sealed = await Promise.all(Array.from({ length: 100 }, () => vault.seal("a secret")));
  expect(new Set(sealed.map((text) => text.split(".")[2])).size).toBe(sealed.length);
});

for (const [kind, method, caller] of [
  ["a stored key", "hkdf", stored],
  ["the configured key", "scrypt", configured],
] as const) {
  test(`a text that the vault of ${kind} seals is encrypted, and can be opened by this and by another process`, async () => {
    const vault = vaults.of(token, caller);
    const sealed = String(await vault.seal("a secret"));
    expect(sealed).toMatch(new RegExp(`^v2\\.${method}\\.[\\w-]{22}\\.[\\w-]+$`));
    expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").includes("a secret")).toBe(false);
    expect(await vault.open(sealed)).toBe("a secret");
    expect(await new Vaults().of(token, caller).open(sealed)).toBe("a secret");
    expect(await vault.seal("a secret")).not.toBe(sealed);
  });

  test(`the vault of ${kind} returns undefined for a text of another API key and for a changed text`, async () => {
    const sealed = String(await vaults.of(token, caller).seal("a secret"));
    expect(await new Vaults().of("another", caller).open(sealed)).toBeUndefined();
    expect(await vaults.of(token, caller === stored ? configured : stored).open(sealed)).toBeUndefined();
    const [, , salt = "", encrypted = ""] = sealed.split(".");
    for (const changed of [
      sealed.replace("v2", "v1"),
      sealed.replace(salt, randomBytes(16).toString("base64url")),
      sealed.replace(encrypted, encrypted.slice(0, -4)),
      sealed.replace(encrypted, encrypted.slice(0, 20)),
      "v2",
      "",
    ]) {
      expect(await vaults.of(token, caller).open(changed)).toBeUndefined();
    }
  });

  test(`the vault of ${kind} does not open a text in the format of the first version`, async () => {
    const key = Buffer.from(hkdfSync("sha256", token, "", "animal-store vault", 32));
    const cipher = createCipheriv("aes-256-gcm", key, Buffer.alloc(12));
    const encrypted = Buffer.concat([cipher.update("a secret"), cipher.final()]);
    const old = Buffer.concat([Buffer.alloc(12), cipher.getAuthTag(), encrypted]).toString("base64url");
    expect(await new Vaults().of(token, caller).open(old)).toBeUndefined();
  });
}

test("a guess at the configured key costs the time and memory that SECURITY.md states", async () => {
  const page = readFileSync(join(import.meta.dir, "../../SECURITY.md"), "utf8");
  const [, exponent, r, p] = (/scrypt\s\(N = 2\^(\d+), r = (\d+), p = (\d+)\)/.exec(page) ?? []).map(Number);
  expect([exponent, r, p]).toEqual([17, 8, 1]);
  expect(page).toContain(`${(128 * 2 ** Number(exponent) * Number(r)) / 2 ** 20} MiB`);
  const sealed = String(await vaults.of(token, configured).seal("a secret"));
  const [version, method, salt = "", encrypted = ""] = sealed.split(".");
  const cost = { N: 2 ** Number(exponent), r: Number(r), p: Number(p), maxmem: 2 ** 28 };
  const key = scryptSync(apiKey, Buffer.from(salt, "base64url"), 32, cost);
  const bytes = Buffer.from(encrypted, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(`${version}.${method}.${salt}`)).setAuthTag(bytes.subarray(12, 28));
  expect(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()).toBe("a secret");
});

test("each process has its own salt for the configured key, so that guesses cannot be shared", async () => {
  const sealAndGetSalt = async (testedVaults: Vaults) =>
    String(await testedVaults.of(token, configured).seal("a secret")).split(".")[2];
  expect(await sealAndGetSalt(vaults)).not.toBe(await sealAndGetSalt(new Vaults()));
});

test("a process derives a key from the configured key only once", async () => {
  const vault = vaults.of(token, configured);
  // If each text needed its own derivation, the test would time out.
  const sealed = await Promise.all(Array.from({ length: 5_000 }, (_, index) => vault.seal(String(index))));
  for (const [index, text] of sealed.entries()) expect(await vault.open(String(text))).toBe(String(index));
});
