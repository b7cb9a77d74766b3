import { WebhookVerificationError } from "./errors.ts";
import type { Event } from "./generated.ts";
import { parseJson } from "./json.ts";

/** The headers of a request, as `fetch` or as Node gives them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks that a webhook comes from the store, by Standard Webhooks 1.0, and returns its event. It takes the bytes of the body
 * as they came: a body that was parsed and written again may have others. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<Event> {
  if (!(rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer)) {
    throw new TypeError("Give the body of the webhook as bytes, as they came.");
  }
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is not a time in seconds.");
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(
      "The webhook was signed more than 5 minutes ago, or the clocks differ by as much.",
    );
  }
  const body = new Uint8Array(rawBody);
  const expected = await signatureOf(new TextEncoder().encode(`${id}.${timestamp}.`), body, secret);
  // During a rotation there are two signatures. Each is compared, so that the time does not tell which one fits.
  const fitting = signatures.map((signature) => isSame(bytesOf(signature.replace(/^v1,/, "")), expected));
  if (!fitting.includes(true)) throw new WebhookVerificationError("The webhook is not signed with this secret.");
  return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body)) as Event;
}

const toleranceSeconds = 300;

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : namedAlike(headers, name);
  if (typeof value !== "string") throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

/** Node writes names of headers in lower case, but not everything that passes them on does. */
function namedAlike(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? [];
  return value;
}

async function signatureOf(prefix: Uint8Array, body: Uint8Array, secret: string): Promise<Uint8Array> {
  const secretBytes = typeof secret === "string" ? bytesOf(secret.replace(/^whsec_/, "")) : undefined;
  // With an empty secret, as an unset variable gives one, everybody could sign.
  if (!secretBytes?.length) throw new TypeError("The secret of a webhook is whsec_ and base64.");
  const key = await crypto.subtle.importKey("raw", secretBytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
}

/** The bytes that base64 stands for, if it is base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Takes as long wherever the two differ. */
function isSame(given: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false;
  let difference = 0;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0);
  return difference === 0;
}
