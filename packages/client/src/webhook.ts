import { WebhookVerificationError } from "./errors.ts";
import type { Event } from "./generated.ts";
import { parseJson } from "./json.ts";

/** Headers as `fetch` or Node represents them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a signature of Standard Webhooks 1.0, and returns the event. Pass the body as it was received, not parsed. Throws
 * WebhookVerificationError if the webhook is not authentic, and TypeError if the body or the secret cannot be used.
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string,
): Promise<Event> {
  const body = toBytes(rawBody);
  const id = requireHeader(headers, "webhook-id");
  const timestamp = requireHeader(headers, "webhook-timestamp");
  const signatures = requireHeader(headers, "webhook-signature").split(" ");
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is not a time in seconds.");
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(
      "The webhook was signed more than 5 minutes ago, or the clocks differ by as much.",
    );
  }
  if (signatures.includes("")) {
    throw new WebhookVerificationError("webhook-signature must be signatures with single spaces between them.");
  }
  const expectedSignature = await computeSignature(new TextEncoder().encode(`${id}.${timestamp}.`), body, secret);
  // During a rotation there are two signatures. All are compared, so that the time does not reveal which one matches.
  const matches = signatures.map((signature) => isSame(signature, expectedSignature));
  if (!matches.includes(true)) throw new WebhookVerificationError("The webhook is not signed with this secret.");
  return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body)) as Event;
}

const toleranceSeconds = 300;

function toBytes(rawBody: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError("Pass the body of the webhook as it was received: as bytes or as text, not parsed.");
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  // Node writes header names in lower case, but frameworks may not.
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const [, value] = entries.find(([given]) => given.toLowerCase() === name) ?? [];
  if (typeof value !== "string") throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

/** Returns the signature that the header must contain, in base64. */
async function computeSignature(prefix: Uint8Array, body: Uint8Array, secret: string): Promise<string> {
  const secretBytes = requireSecret(secret);
  const key = await crypto.subtle.importKey("raw", secretBytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array([...prefix, ...body])));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** Throws TypeError for a secret that is malformed or short enough to guess, such as the empty text of an unset variable. */
function requireSecret(secret: string): Uint8Array<ArrayBuffer> {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? "";
  const text = base64.length % 4 === 0 ? atob(base64) : "";
  if (text.length < 24 || text.length > 64 || btoa(text) !== base64) {
    throw new TypeError("The secret of a webhook must be whsec_ and 24 to 64 bytes in base64.");
  }
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Compares two texts in a time that does not depend on where they differ. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}
