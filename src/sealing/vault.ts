import { hkdfSync, randomBytes } from "node:crypto";
import type { Caller } from "../domain/key.ts";
import { decrypt, encrypt, type Sealer, secretBytes, stretch } from "./cipher.ts";

/**
 * Gives each caller a vault that hides texts by a secret made from the caller's own key. What is stored so can be opened
 * only with that key, which is stored nowhere: `v2.`, how the secret is made, the salt, and what is hidden.
 */
export class Vaults {
  /** The secrets that were made from the configured key, by their salts. */
  readonly #stretched = new Map<string, Promise<Buffer>>();
  readonly #ownSalt = newSalt();
  #lastStretched: Promise<unknown> = Promise.resolve();

  of(token: string, caller: Caller): Sealer {
    // A header's bytes arrive as one character each.
    const key = Buffer.from(token, "latin1");
    // Keys of the store are random beyond any guessing. The configured one may be a word that somebody has made up.
    const method = caller.key === "environment" ? "scrypt" : "hkdf";
    const secretOf = (salt: string) => (method === "scrypt" ? this.#stretch(key, salt) : derive(key, salt));
    return {
      seal: async (text) => {
        const salt = method === "scrypt" ? this.#ownSalt : newSalt();
        const head = `${version}.${method}.${salt}`;
        return `${head}.${encrypt(await secretOf(salt), head, text)}`;
      },
      open: async (sealed) => {
        const [, head = "", used, salt = "", hidden = ""] = sealedText.exec(sealed) ?? [];
        return used === method ? decrypt(await secretOf(salt), head, hidden) : undefined;
      },
    };
  }

  /** Slow on purpose, so that it is done once for each salt; and one at a time, because of the memory that it takes. */
  #stretch(key: Buffer, salt: string): Promise<Buffer> {
    const known = this.#stretched.get(salt);
    if (known) return known;
    const secret = this.#lastStretched.then(() => stretch(key, saltBytes(salt)));
    this.#lastStretched = secret.catch(() => this.#stretched.delete(salt));
    this.#stretched.set(salt, secret);
    for (const oldest of this.#stretched.keys()) {
      if (this.#stretched.size <= maxStretched) break;
      if (oldest !== this.#ownSalt) this.#stretched.delete(oldest);
    }
    return secret;
  }
}

const version = "v2";
const sealedText = /^(v2\.(hkdf|scrypt)\.([\w-]{22}))\.([\w-]{38,})$/;

/** Every process has a salt of its own, and there are not many in the 24 hours for which anything is kept. */
const maxStretched = 32;

function derive(key: Buffer, salt: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, saltBytes(salt), "animal-store vault", secretBytes));
}

function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

function saltBytes(salt: string): Buffer {
  return Buffer.from(salt, "base64url");
}
