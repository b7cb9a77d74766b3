import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";

/** Hides texts, and shows them again to those who have the same secret. */
export interface Sealer {
  seal(text: string): Promise<string>;
  /** Undefined if it was sealed with another secret, or in a way that is not known. */
  open(sealed: string): Promise<string | undefined>;
}

/** How long a secret is that texts are hidden by. */
export const secretBytes = 32;

/** What hides a text, as what follows `head`, which is not hidden, and without which it cannot be opened. */
export function encrypt(secret: Buffer, head: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(head));
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
}

/** Undefined if another secret has hidden it, or anything of it was changed. */
export function decrypt(secret: Buffer, head: string, hidden: string): string | undefined {
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

/** A secret from words that somebody has made up: slow on purpose, because of those who guess. */
export function stretch(words: Buffer, salt: Buffer): Promise<Buffer> {
  return scryptInBackground(words, salt, secretBytes, stretching);
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** As OWASP recommends for passwords; a guess takes 128 MiB. */
const stretching: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
const scryptInBackground = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
