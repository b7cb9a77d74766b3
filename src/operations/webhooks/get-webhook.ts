import { mapAwaitable } from "../../base/awaitable.ts";
import { noSuchWebhook, presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { exampleWebhook, Webhook, webhookIdParam } from "./schemas.ts";

export const getWebhook = operation({
  id: "getWebhook",
  method: "GET",
  path: "/webhooks/:webhookId",
  tag: "webhooks",
  summary: "Get a webhook",
  description: "Returns a single webhook, without its secret.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  success: {
    status: 200,
    description: "The webhook.",
    schema: Webhook,
    examples: { webhook: { summary: "A webhook", value: exampleWebhook } },
  },
  errors: ["NotFound"],
  handle({ params: { webhookId } }, { store }) {
    const webhook = found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    return mapAwaitable(webhook, presentWebhook);
  },
});
