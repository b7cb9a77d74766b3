import { generateWebhookSecret, presentWebhook, secretShownToAnother } from "../../domain/webhook.ts";
import type { CreatedWebhook as Made, WebhookSecret } from "../../store/store.ts";
import type { Context } from "../operation.ts";
import type { Static } from "../schema.ts";
import type { CreatedWebhook } from "./schemas.ts";

type Shown = Static<typeof CreatedWebhook>;

/**
 * Has a new secret stored with its webhook, and shows it with it. A repeated request shows the first one again, if sent with the key
 * that asked for it then. Throws UnprocessableContent otherwise, and Conflict if the service has no key for secrets.
 */
export async function showSecret(
  { vault, webhooks }: Pick<Context, "vault" | "webhooks">,
  make: (secret: WebhookSecret) => Promise<Made>,
): Promise<Shown> {
  const secret = generateWebhookSecret();
  const sealed = await webhooks.seal(secret);
  const sealedForMaker = await vault.seal(secret);
  const made = await make({ sealed, sealedForMaker });
  if (made.sealedForMaker !== sealedForMaker) return await presentAgain(made, vault);
  // What is being sent would be broken off and sent again.
  webhooks.changed(made.id);
  return { ...presentWebhook(made), secret };
}

/** Shows the secret of an earlier request, which this one only repeats. Throws UnprocessableContent to whoever did not ask for it. */
export async function showSecretAgain({ vault }: Pick<Context, "vault">, repeat: () => Promise<Made>): Promise<Shown> {
  return await presentAgain(await repeat(), vault);
}

async function presentAgain(made: Made, vault: Context["vault"]): Promise<Shown> {
  const secret = await vault.open(made.sealedForMaker ?? "");
  if (secret === undefined) throw secretShownToAnother(made.id);
  return { ...presentWebhook(made), secret };
}
