import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";

export const keyBytes = 32;

/** Decryption needs the same `head`, which is authenticated but not encrypted. */
export function encrypt(key: Buffer, head: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(head));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url");
}

/** Returns undefined if another key encrypted the text, or if the head or the text was changed. */
export function decrypt(key: Buffer, head: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64url");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes)).setAAD(Buffer.from(head));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Derives a key from a password that a person may have chosen: slowly, to make guessing expensive. */
export function deriveSlowly(password: Buffer, salt: Buffer): Promise<Buffer> {
  return scryptInBackground(password, salt, keyBytes, scryptCost);
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** The cost that OWASP recommends for passwords; a guess takes 128 MiB. */
const scryptCost: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
const scryptInBackground = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
