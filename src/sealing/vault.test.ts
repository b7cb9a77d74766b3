import { describe, expect, test } from "bun:test";
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "../domain/key.ts";
import { Vaults } from "./vault.ts";

const stored: Caller = { name: "till 1", key: 7, family: 7, scope: "admin", expiresAt: null };
const configured: Caller = {
  name: "environment",
  key: "environment",
  family: "environment",
  scope: "admin",
  expiresAt: null,
};
const word = "a word with umläuts";
/** As it arrives in a header. */
const token = Buffer.from(word).toString("latin1");

/** Those of this process, to which the configured key costs its time once. */
const vaults = new Vaults();

test("what a key of the store has sealed has a salt of its own each time", async () => {
  const vault = vaults.of(token, stored);
  const sealed = await Promise.all(Array.from({ length: 100 }, () => vault.seal("a secret")));
  expect(new Set(sealed.map((text) => text.split(".")[2])).size).toBe(sealed.length);
});

describe.each([
  ["a key of the store", "hkdf", stored],
  ["the configured key", "scrypt", configured],
] as const)("a vault of %s", (_, method, caller) => {
  test("is opened by the key that sealed it, also in another process, and shows nothing before", async () => {
    const vault = vaults.of(token, caller);
    const sealed = String(await vault.seal("a secret"));
    expect(sealed).toMatch(new RegExp(`^v2\\.${method}\\.[\\w-]{22}\\.[\\w-]+$`));
    expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").includes("a secret")).toBe(false);
    expect(await vault.open(sealed)).toBe("a secret");
    expect(await new Vaults().of(token, caller).open(sealed)).toBe("a secret");
    expect(await vault.seal("a secret")).not.toBe(sealed);
  });

  test("is opened neither by another key nor after a change, and says so without a fault", async () => {
    const sealed = String(await vaults.of(token, caller).seal("a secret"));
    expect(await new Vaults().of("another", caller).open(sealed)).toBeUndefined();
    expect(await vaults.of(token, caller === stored ? configured : stored).open(sealed)).toBeUndefined();
    const [, , salt = "", hidden = ""] = sealed.split(".");
    for (const changed of [
      sealed.replace("v2", "v1"),
      sealed.replace(salt, randomBytes(16).toString("base64url")),
      sealed.replace(hidden, hidden.slice(0, -4)),
      sealed.replace(hidden, hidden.slice(0, 20)),
      "v2",
      "",
    ]) {
      expect(await vaults.of(token, caller).open(changed)).toBeUndefined();
    }
  });

  test("does not open what was sealed in the way that is no longer in use", async () => {
    const secret = Buffer.from(hkdfSync("sha256", token, "", "animal-store vault", 32));
    const cipher = createCipheriv("aes-256-gcm", secret, Buffer.alloc(12));
    const hidden = Buffer.concat([cipher.update("a secret"), cipher.final()]);
    const old = Buffer.concat([Buffer.alloc(12), cipher.getAuthTag(), hidden]).toString("base64url");
    expect(await new Vaults().of(token, caller).open(old)).toBeUndefined();
  });
});

describe("a guess at the configured key", () => {
  test("costs what SECURITY.md says, since that is how the secret is made", async () => {
    const page = readFileSync(join(import.meta.dir, "../../SECURITY.md"), "utf8");
    const [, exponent, r, p] = (/scrypt\s\(N = 2\^(\d+), r = (\d+), p = (\d+)\)/.exec(page) ?? []).map(Number);
    expect([exponent, r, p]).toEqual([17, 8, 1]);
    expect(page).toContain(`${(128 * 2 ** Number(exponent) * Number(r)) / 2 ** 20} MiB`);
    const sealed = String(await vaults.of(token, configured).seal("a secret"));
    const [version, method, salt = "", hidden = ""] = sealed.split(".");
    const cost = { N: 2 ** Number(exponent), r: Number(r), p: Number(p), maxmem: 2 ** 28 };
    const secret = scryptSync(word, Buffer.from(salt, "base64url"), 32, cost);
    expect(openWith(secret, `${version}.${method}.${salt}`, hidden)).toBe("a secret");
  });

  test("is not made cheap by a salt that is always the same: each process has its own", async () => {
    const saltOf = async (some: Vaults) => String(await some.of(token, configured).seal("a secret")).split(".")[2];
    expect(await saltOf(vaults)).not.toBe(await saltOf(new Vaults()));
  });

  test("is slow, but the owner pays for it once in a process", async () => {
    const vault = vaults.of(token, configured);
    // Were it paid for each time, this would take longer than any test may take.
    const sealed = await Promise.all(Array.from({ length: 5_000 }, (_, index) => vault.seal(String(index))));
    for (const [index, text] of sealed.entries()) expect(await vault.open(String(text))).toBe(String(index));
  });
});

function openWith(secret: Buffer, head: string, hidden: string): string {
  const bytes = Buffer.from(hidden, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12)).setAAD(Buffer.from(head));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
}
