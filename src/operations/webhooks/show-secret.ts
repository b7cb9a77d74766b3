import { generateWebhookSecret, presentWebhook, secretShownToAnother } from "../../domain/webhook.ts";
import type { CreatedWebhook as Made, WebhookSecret } from "../../store/store.ts";
import type { Context } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedWebhook } from "./schemas.ts";

/**
 * Has a secret stored with its webhook, and shows it with it. A repeated request shows it again, if sent with the key that asked
 * for it first. Throws UnprocessableContent otherwise, and Conflict if one is wanted and the service has no key for secrets.
 */
export async function showSecret(
  { vault, webhooks, onBehalf }: Pick<Context, "vault" | "webhooks" | "onBehalf">,
  make: (secret: WebhookSecret) => Promise<Made>,
  isWanted = true,
): Promise<Static<typeof CreatedWebhook>> {
  const text = generateWebhookSecret();
  const sealed = isWanted ? await webhooks.seal(text) : "";
  const own = await vault.seal(text);
  const { sealedForMaker, ...made } = await onBehalf(() => make({ sealed, sealedForMaker: own }));
  const isNew = sealedForMaker === own;
  const secret = isNew ? text : await vault.open(sealedForMaker ?? "");
  if (secret === undefined) throw secretShownToAnother(made.id);
  // What is being sent would be broken off and sent again.
  if (isNew) webhooks.changed(made.id);
  return { ...presentWebhook(made), secret };
}
