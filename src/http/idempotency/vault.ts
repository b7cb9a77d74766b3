import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Caller } from "../../domain/key.ts";
import type { Vault } from "../../operations/operation.ts";

/**
 * Gives each caller a vault that hides texts by a secret made from the caller's own key. What is stored so can be opened
 * only with that key, which is stored nowhere: `v2.`, how the secret is made, the salt, and what is hidden.
 */
export class Vaults {
  /** The secrets that were made from the configured key, by their salts. */
  readonly #stretched = new Map<string, Promise<Buffer>>();
  readonly #ownSalt = newSalt();
  #lastStretched: Promise<unknown> = Promise.resolve();

  of(token: string, caller: Caller): Vault {
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
    const secret = this.#lastStretched.then(() => scryptInBackground(key, saltBytes(salt), secretBytes, stretching));
    this.#lastStretched = secret.catch(() => this.#stretched.delete(salt));
    this.#stretched.set(salt, secret);
    for (const oldest of this.#stretched.keys()) {
      if (this.#stretched.size <= mostStretched) break;
      if (oldest !== this.#ownSalt) this.#stretched.delete(oldest);
    }
    return secret;
  }
}

/** For a request that cannot be repeated, nothing needs to be kept. */
export const noVault: Vault = {
  seal: async () => undefined,
  open: async () => undefined,
};

const version = "v2";
const sealedText = /^(v2\.(hkdf|scrypt)\.([\w-]{22}))\.([\w-]{38,})$/;

/** As OWASP recommends for passwords; a guess takes 128 MiB. */
const stretching: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
/** Every process has a salt of its own, and there are not many in the 24 hours for which anything is kept. */
const mostStretched = 32;

const scryptInBackground = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);

function derive(key: Buffer, salt: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, saltBytes(salt), "animal-store vault", secretBytes));
}

function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

function saltBytes(salt: string): Buffer {
  return Buffer.from(salt, "base64url");
}

const algorithm = "aes-256-gcm";
const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

function encrypt(secret: Buffer, head: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(head));
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
}

/** Undefined if another secret has hidden it, or anything of it was changed. */
function decrypt(secret: Buffer, head: string, hidden: string): string | undefined {
  const bytes = Buffer.from(hidden, "base64url");
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceBytes)).setAAD(Buffer.from(head));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
