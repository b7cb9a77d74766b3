import { decrypt, deriveSlowly, encrypt, keyBytes } from "./cipher.ts";

export type WebhookKey = { readonly bytes: Buffer } | { readonly passphrase: string };

/** Parses a key of 32 bytes in base64, or a passphrase. Returns undefined if the text is too short for a passphrase. */
export function parseWebhookKey(text: string): WebhookKey | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === keyBytes && bytes.toString("base64") === text) return { bytes };
  return [...text].length >= minPassphraseLength ? { passphrase: text } : undefined;
}

/** Encrypts secrets for the database, so that the database alone does not reveal them. The format is `v1.` and the encrypted text. */
export class SecretBox {
  readonly #key: WebhookKey;
  #derivedKey: Promise<Buffer> | undefined;

  constructor(
    key: WebhookKey,
    readonly derive = deriveSlowly,
  ) {
    this.#key = key;
  }

  async seal(secret: string): Promise<string> {
    return `${version}.${encrypt(await this.#keyBytes(), version, secret)}`;
  }

  /** Returns undefined if the text was sealed with another key, or in an unknown format. */
  async open(sealed: string): Promise<string | undefined> {
    const [, encrypted] = /^v1\.([\w-]{38,})$/.exec(sealed) ?? [];
    return encrypted === undefined ? undefined : decrypt(await this.#keyBytes(), version, encrypted);
  }

  async #keyBytes(): Promise<Buffer> {
    const key = this.#key;
    if ("bytes" in key) return key.bytes;
    this.#derivedKey ??= this.derive(Buffer.from(key.passphrase), Buffer.from(salt)).catch((error) => {
      // The process may have been out of memory; the next use tries again.
      this.#derivedKey = undefined;
      throw error;
    });
    return await this.#derivedKey;
  }
}

const version = "v1";
const minPassphraseLength = 16;

/** A constant, because all instances must derive the same key from the passphrase alone. */
const salt = "animal-store webhooks";
