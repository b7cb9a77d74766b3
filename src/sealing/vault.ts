import { hkdfSync, randomBytes } from "node:crypto";
import type { Caller } from "../domain/key.ts";
import { decrypt, deriveSlowly, encrypt, keyBytes } from "./cipher.ts";

/**
 * Encrypts texts with a key that is derived from the caller's API key, which is stored nowhere, so the database alone does not reveal
 * the texts. The format is `v2.`, the method of derivation, the salt, and the encrypted text.
 */
export class Vaults {
  /** Keys derived from the configured API key, by salt. Each process has one salt, so the map stays small. */
  readonly #derivedKeys = new Map<string, Promise<Buffer>>();
  readonly #ownSalt = createSalt();
  #lastDerivation: Promise<unknown> = Promise.resolve();

  of(token: string, caller: Caller) {
    // A header is decoded as Latin-1, so each character is one byte.
    const apiKey = Buffer.from(token, "latin1");
    // Keys in the store are random and cannot be guessed. A person may have chosen the configured key.
    const method = caller.key === "environment" ? "scrypt" : "hkdf";
    const derive = (salt: string) =>
      method === "scrypt" ? this.#deriveSlowly(apiKey, salt) : deriveQuickly(apiKey, salt);
    return {
      seal: async (text: string) => {
        const salt = method === "scrypt" ? this.#ownSalt : createSalt();
        const head = `${version}.${method}.${salt}`;
        return `${head}.${encrypt(await derive(salt), head, text)}`;
      },
      open: async (sealed: string) => {
        const [, head = "", usedMethod, salt = "", encrypted = ""] = sealedPattern.exec(sealed) ?? [];
        return usedMethod === method ? decrypt(await derive(salt), head, encrypted) : undefined;
      },
    };
  }

  /** Derivations run one at a time, because of the memory that each takes. */
  #deriveSlowly(apiKey: Buffer, salt: string): Promise<Buffer> {
    const cached = this.#derivedKeys.get(salt);
    if (cached) return cached;
    const derived = this.#lastDerivation.then(() => deriveSlowly(apiKey, decodeSalt(salt)));
    this.#lastDerivation = derived.catch(() => this.#derivedKeys.delete(salt));
    this.#derivedKeys.set(salt, derived);
    return derived;
  }
}

const version = "v2";
const sealedPattern = /^(v2\.(hkdf|scrypt)\.([\w-]{22}))\.([\w-]{38,})$/;

function deriveQuickly(apiKey: Buffer, salt: string): Buffer {
  return Buffer.from(hkdfSync("sha256", apiKey, decodeSalt(salt), "animal-store vault", keyBytes));
}

function createSalt(): string {
  return randomBytes(16).toString("base64url");
}

function decodeSalt(salt: string): Buffer {
  return Buffer.from(salt, "base64url");
}
