import { mapAwaitable } from "../../base/awaitable.ts";
import { presentDelivery } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { requireFound } from "../operation.ts";
import { exampleDelivery, WebhookDeliveries, webhookIdParam } from "./schemas.ts";

const failedDelivery = {
  ...exampleDelivery,
  outcome: "failed",
  responseStatus: 500,
  error: "The receiver answered with 500.",
  nextAttemptAt: "2026-11-15T10:00:05.000Z",
};
const retriedDelivery = { ...exampleDelivery, id: 2, attempt: 2, at: failedDelivery.nextAttemptAt };

export const listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  endpoint: "GET /webhooks/:webhookId/deliveries",
  summary: "List the latest deliveries",
  description:
    "Returns the latest attempts to deliver events to a webhook, newest first. The service keeps the last 100 attempts.",
  params: webhookIdParam,
  query: { limit: limitField },
  success: {
    description: "The latest attempts.",
    schema: WebhookDeliveries,
    examples: { attempts: ["A successful retry of a failed attempt", [retriedDelivery, failedDelivery]] },
  },
  handle({ params: { webhookId }, query: { limit } }, { store }) {
    const webhook = requireFound(store.webhooks.get(webhookId), "webhook", webhookId);
    const deliveries = mapAwaitable(webhook, () => store.webhooks.listDeliveries(webhookId, limit));
    return mapAwaitable(deliveries, (latest) => latest.map(presentDelivery));
  },
});
