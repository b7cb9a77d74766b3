import type { Int64 } from "../base/int64.ts";
import { noSuchWebhook } from "../domain/webhook.ts";
import type { WebhookSecret } from "./store.ts";

/** Throws NotFound if there is no secret for a webhook, because it was not there when one was to be made. */
export function requireSecret(secret: WebhookSecret | undefined, id: Int64): WebhookSecret {
  if (!secret) throw noSuchWebhook(id);
  return secret;
}

/** How many deliveries of each webhook are kept. */
export const mostDeliveries = 100;

/** No lease is given for longer: what ends later was written by a clock that was wrong. */
export const longestLeaseMs = 60_000;
