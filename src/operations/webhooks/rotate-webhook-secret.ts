import type { WebhookSecret } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { current } from "./current.ts";
import { CreatedWebhook, exampleCreatedWebhook, WebhookRotation, webhookIdParam } from "./schemas.ts";
import { showAgain, showSecret } from "./show-secret.ts";

export const rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  endpoint: "POST /webhooks/:webhookId/rotate",
  summary: "Rotate the secret of a webhook",
  description:
    "Gives a webhook a new secret and shows it once. For the overlap, events are signed with both, so that the receiver can take its time. A secret that was still in its overlap is no longer used.",
  params: webhookIdParam,
  body: {
    schema: WebhookRotation,
    isOptional: true,
    examples: {
      plain: { summary: "With an overlap of a day", value: {} },
      atOnce: { summary: "The old secret is no longer used", value: { overlapSeconds: 0 } },
    },
  },
  success: {
    description: "Secret rotated; the body contains the new one.",
    schema: CreatedWebhook,
    examples: {
      rotated: {
        summary: "The webhook with its new secret",
        value: { ...exampleCreatedWebhook, oldSecretExpiresAt: "2026-11-16T10:00:00.000Z" },
      },
    },
    isSecret: true,
  },
  errors: ["Conflict"],
  current,
  async handle({ params: { webhookId }, body, expected }, context) {
    const { store, clock, vault } = context;
    const at = clock();
    const rotation = { at, retiresAt: at + body.overlapSeconds * 1000 };
    const rotate = (secret?: WebhookSecret) => store.webhooks.rotate(webhookId, rotation, secret, expected);
    if (await store.webhooks.get(webhookId)) return await showSecret(context, rotate);
    // The store may still have the response to the same request from before the webhook was deleted.
    return await showAgain(await rotate(), vault);
  },
});
