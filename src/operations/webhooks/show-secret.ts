import { generateWebhookSecret, presentWebhook, secretShownToAnother } from "../../domain/webhook.ts";
import type { CreatedWebhook as Made, WebhookSecret } from "../../store/store.ts";
import type { Context, Vault } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedWebhook } from "./schemas.ts";

type Shown = Static<typeof CreatedWebhook>;

/**
 * Stores a new secret with its webhook, and shows it. A repeated request shows the first secret again, if sent with the key of the
 * first request. Throws UnprocessableContent otherwise, and Conflict if the service has no key for secrets.
 */
export async function showSecret(
  { vault, webhooks }: Context,
  make: (secret: WebhookSecret) => Promise<Made>,
): Promise<Shown> {
  const secret = generateWebhookSecret();
  const sealed = await webhooks.seal(secret);
  const sealedForMaker = await vault.seal(secret);
  const made = await make({ sealed, sealedForMaker });
  if (made.sealedForMaker !== sealedForMaker) return await showAgain(made, vault);
  // Not for repeated requests, because the change interrupts deliveries, which are then sent again.
  webhooks.changed(made.id);
  return { ...presentWebhook(made), secret };
}

/** Shows the secret that an earlier request has created. Throws UnprocessableContent if that was sent with another key. */
export async function showAgain(made: Made, vault: Vault): Promise<Shown> {
  const secret = await vault.open(made.sealedForMaker ?? "");
  if (secret === undefined) throw secretShownToAnother(made.id);
  return { ...presentWebhook(made), secret };
}
