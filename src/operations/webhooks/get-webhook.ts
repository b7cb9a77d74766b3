import { mapAwaitable } from "../../base/awaitable.ts";
import { notFound } from "../../domain/errors.ts";
import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { exampleWebhook, Webhook, webhookIdParam } from "./schemas.ts";

export const getWebhook = operation({
  id: "getWebhook",
  endpoint: "GET /webhooks/:webhookId",
  summary: "Get a webhook",
  description: "Returns a single webhook, without its secret.",
  params: webhookIdParam,
  success: {
    description: "The webhook.",
    schema: Webhook,
    examples: { webhook: { summary: "A webhook", value: exampleWebhook } },
  },
  errors: ["NotFound"],
  handle: ({ params: { webhookId } }, { store }) =>
    mapAwaitable(
      found(store.webhooks.get(webhookId), () => notFound("webhook", webhookId)),
      presentWebhook,
    ),
});
