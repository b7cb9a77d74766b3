import { presentWebhook } from "../../domain/webhook.ts";
import type { WebhookSecret } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { CreatedWebhook, exampleCreatedWebhook, WebhookRotation, webhookIdParam } from "./schemas.ts";
import { showSecret, showSecretAgain } from "./show-secret.ts";

export const rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/webhooks/:webhookId/rotate",
  tag: "webhooks",
  summary: "Rotate the secret of a webhook",
  description:
    "Gives a webhook a new secret and shows it once. For the overlap, events are signed with both, so that the receiver can take its time. A secret that was still in its overlap is no longer used.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
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
    status: 200,
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
  current: { read: ({ params: { webhookId } }, { store }) => store.webhooks.get(webhookId), show: presentWebhook },
  async handle({ params: { webhookId }, body, expected }, context) {
    const { store, clock } = context;
    const at = clock();
    const rotation = { at, retiresAt: at + body.overlapSeconds * 1000 };
    const rotate = (secret?: WebhookSecret) => store.webhooks.rotate(webhookId, rotation, secret, expected);
    const isThere = (await store.webhooks.get(webhookId)) !== undefined;
    // Of one that is gone, the store may still know what the same request was told before.
    return isThere ? await showSecret(context, rotate) : await showSecretAgain(context, rotate);
  },
});
