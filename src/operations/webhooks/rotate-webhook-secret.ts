import type { WebhookSecret } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { currentWebhook } from "./get-webhook.ts";
import { CreatedWebhook, exampleCreatedWebhook, WebhookRotation, webhookIdParam } from "./schemas.ts";
import { showSecret, showSecretAgain } from "./show-secret.ts";

const rotatedWebhook = { ...exampleCreatedWebhook, oldSecretExpiresAt: "2026-11-16T10:00:00.000Z" };

export const rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  endpoint: "POST /webhooks/:webhookId/rotate",
  summary: "Rotate the secret of a webhook",
  description:
    "Gives a webhook a new secret and shows it once. During the overlap, events are signed with both secrets, which gives the receiver time to change. A secret that was still in its overlap after an earlier rotation stops signing.",
  params: webhookIdParam,
  body: {
    schema: WebhookRotation,
    isOptional: true,
    examples: {
      plain: ["With an overlap of a day", {}],
      atOnce: ["The old secret is no longer used", { overlapSeconds: 0 }],
    },
  },
  success: {
    description: "Secret rotated; the body contains the new one.",
    schema: CreatedWebhook,
    examples: { rotated: ["The webhook with its new secret", rotatedWebhook] },
    isSecret: true,
  },
  errors: ["Conflict"],
  current: currentWebhook,
  async handle({ params: { webhookId }, body, expected }, context) {
    const { store, clock, vault } = context;
    const at = clock();
    const rotation = { at, retiresAt: at + body.overlapSeconds * 1000 };
    const rotate = (secret?: WebhookSecret) => store.webhooks.rotate(webhookId, rotation, secret, expected);
    if (await store.webhooks.get(webhookId)) return await showSecret(context, rotate);
    // The webhook may have been deleted since the first request, whose response a repeated request still gets.
    return await showSecretAgain(await rotate(), vault);
  },
});
