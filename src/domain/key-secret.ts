import { hash } from "node:crypto";

// This module is separate from key.ts, because loading the runtime's cryptography would delay the start of threads that do not need it.

/** Returns a new key: `ask_`, 30 random characters and a checksum of 6 characters. */
export function generateKey(): string {
  const body = prefix + randomBase62(bodyLength);
  return body + computeChecksum(body);
}

/** Rejects a mistyped key without a read from the store. */
export function isWellFormedKey(text: string): boolean {
  return (
    /^ask_[0-9A-Za-z]{36}$/.test(text) &&
    computeChecksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  );
}

export function hashKey(key: string | Uint8Array): Buffer {
  return hash("sha256", key, "buffer");
}

const prefix = "ask_";
const bodyLength = 30;
const checksumLength = 6;
export const secretLength = bodyLength + checksumLength;
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Skips bytes from 248 (4 * 62) on, which would make the first characters of the alphabet more likely than the others.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

function computeChecksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let index = 0; index < checksumLength; index++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
