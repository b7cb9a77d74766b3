import { mapAwaitable } from "../../base/awaitable.ts";
import type { Int64 } from "../../base/int64.ts";
import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { type Context, requireFound } from "../operation.ts";
import { exampleWebhook, Webhook, webhookIdParam } from "./schemas.ts";

export const getWebhook = operation({
  id: "getWebhook",
  endpoint: "GET /webhooks/:webhookId",
  summary: "Get a webhook",
  description: "Returns a single webhook, without its secret.",
  params: webhookIdParam,
  success: { description: "The webhook.", schema: Webhook, examples: { webhook: ["A webhook", exampleWebhook] } },
  handle: ({ params: { webhookId } }, { store }) =>
    mapAwaitable(requireFound(store.webhooks.get(webhookId), "webhook", webhookId), presentWebhook),
});

export const currentWebhook = {
  read: ({ params: { webhookId } }: { params: { webhookId: Int64 } }, { store }: Context) =>
    store.webhooks.get(webhookId),
  show: presentWebhook,
};
