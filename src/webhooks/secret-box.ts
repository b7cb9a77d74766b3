import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";

/** What the secrets of webhooks are sealed with: a key, or a passphrase that one is made from. */
export type WebhookKey = { readonly bytes: Buffer } | { readonly passphrase: string };

/** Undefined if the text is neither 32 bytes in base64 nor long enough for a passphrase. */
export function parseWebhookKey(text: string): WebhookKey | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === keyBytes && bytes.toString("base64") === text) return { bytes };
  return [...text].length >= shortestPassphrase ? { passphrase: text } : undefined;
}

/** Seals secrets for the database: `v1.`, and what is hidden. Whoever has the database alone cannot open them. */
export class SecretBox {
  readonly #key: WebhookKey;
  #ready: Promise<Buffer> | undefined;

  constructor(key: WebhookKey) {
    this.#key = key;
  }

  async seal(secret: string): Promise<string> {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, await this.#bytes(), nonce).setAAD(Buffer.from(version));
    const hidden = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url")}`;
  }

  /** Undefined if it was sealed with another key, or in a way that is not known. */
  async open(sealed: string): Promise<string | undefined> {
    const [, hidden] = /^v1\.([\w-]{38,})$/.exec(sealed) ?? [];
    if (hidden === undefined) return undefined;
    const bytes = Buffer.from(hidden, "base64url");
    const decipher = createDecipheriv(algorithm, await this.#bytes(), bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(version)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined;
    }
  }

  /** Making a key from a passphrase is slow on purpose, so that it is done once, and when it is first needed. */
  #bytes(): Promise<Buffer> {
    const key = this.#key;
    this.#ready ??=
      "bytes" in key
        ? Promise.resolve(key.bytes)
        : scryptInBackground(Buffer.from(key.passphrase), Buffer.from(salt), keyBytes, stretching);
    return this.#ready;
  }
}

const version = "v1";
const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const shortestPassphrase = 16;

/** The same for all instances, which have nothing but the passphrase in common. */
const salt = "animal-store webhooks";
/** As OWASP recommends for passwords; a guess takes 128 MiB. */
const stretching: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
const scryptInBackground = promisify<Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt);
