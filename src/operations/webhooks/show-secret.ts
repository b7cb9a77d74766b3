import { generateWebhookSecret, presentWebhook, secretAlreadyShown } from "../../domain/webhook.ts";
import type { CreatedWebhook as CreatedWebhookInStore, WebhookSecret } from "../../store/store.ts";
import type { Context, Vault } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedWebhook } from "./schemas.ts";

type ShownWebhook = Static<typeof CreatedWebhook>;

/** Stores a new secret and shows it. A repeated request gets the secret of the first request. */
export async function showSecret(
  { vault, webhooks }: Context,
  store: (secret: WebhookSecret) => Promise<CreatedWebhookInStore>,
): Promise<ShownWebhook> {
  const secret = generateWebhookSecret();
  const sealed = await webhooks.seal(secret);
  const sealedForMaker = await vault.seal(secret);
  const stored = await store({ sealed, sealedForMaker });
  if (stored.sealedForMaker !== sealedForMaker) return await showSecretAgain(stored, vault);
  // Skipped for a repeated request, because applying a change interrupts deliveries, which are then sent again.
  webhooks.applyChange(stored.id);
  return { ...presentWebhook(stored), secret };
}

/** Returns the webhook with the secret that the first request created. Throws if this repeated request was sent with another API key. */
export async function showSecretAgain(stored: CreatedWebhookInStore, vault: Vault): Promise<ShownWebhook> {
  const secret = await vault.open(stored.sealedForMaker ?? "");
  if (secret === undefined) throw secretAlreadyShown(stored.id);
  return { ...presentWebhook(stored), secret };
}
