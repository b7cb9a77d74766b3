import { createHmac } from "node:crypto";
import { secretPrefix } from "../domain/webhook.ts";

/** What a receiver knows an event by, and that it comes from here: Standard Webhooks 1.0, symmetric. */
export function signedHeaders(
  secrets: readonly string[],
  eventId: string,
  at: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, `${eventId}.${timestamp}.${body}`)).join(" "),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
