import { hash } from "node:crypto";

// Apart from what is known of keys, because threads that need that alone would start later for the runtime's cryptography.

/** A new key: `ask_`, 30 random characters and 6 that check them. */
export function generateKey(): string {
  const body = prefix + randomBase62(bodyLength);
  return body + checksum(body);
}

/** Recognises a typo without a look-up. */
export function isWellFormedKey(text: string): boolean {
  return /^ask_[0-9A-Za-z]{36}$/.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The only form in which a key is stored and compared. */
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
      // Bytes past the last multiple of 62 would make the first characters likelier than the rest.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
