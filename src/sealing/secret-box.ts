import { decrypt, encrypt, type Sealer, secretBytes, stretch } from "./cipher.ts";

/** What the secrets of webhooks are sealed with: a key, or a passphrase that one is made from. */
export type WebhookKey = { readonly bytes: Buffer } | { readonly passphrase: string };

/** Undefined if the text is neither 32 bytes in base64 nor long enough for a passphrase. */
export function parseWebhookKey(text: string): WebhookKey | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === secretBytes && bytes.toString("base64") === text) return { bytes };
  return [...text].length >= minPassphraseLength ? { passphrase: text } : undefined;
}

/** Seals secrets for the database: `v1.`, and what is hidden. Whoever has the database alone cannot open them. */
export class SecretBox implements Sealer {
  readonly #key: WebhookKey;
  #ready: Promise<Buffer> | undefined;

  constructor(
    key: WebhookKey,
    readonly stretchIt = stretch,
  ) {
    this.#key = key;
  }

  async seal(secret: string): Promise<string> {
    return `${version}.${encrypt(await this.#bytes(), version, secret)}`;
  }

  async open(sealed: string): Promise<string | undefined> {
    const [, hidden] = /^v1\.([\w-]{38,})$/.exec(sealed) ?? [];
    return hidden === undefined ? undefined : decrypt(await this.#bytes(), version, hidden);
  }

  /** Making a key from a passphrase is slow on purpose, so that it is done once, and when it is first needed. */
  async #bytes(): Promise<Buffer> {
    const key = this.#key;
    if ("bytes" in key) return key.bytes;
    this.#ready ??= this.stretchIt(Buffer.from(key.passphrase), Buffer.from(salt)).catch((error) => {
      // There may have been no memory for it.
      this.#ready = undefined;
      throw error;
    });
    return await this.#ready;
  }
}

const version = "v1";
const minPassphraseLength = 16;

/** The same for all instances, which have nothing but the passphrase in common. */
const salt = "animal-store webhooks";
