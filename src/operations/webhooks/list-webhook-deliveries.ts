import { mapAwaitable } from "../../base/awaitable.ts";
import { notFound } from "../../domain/errors.ts";
import { presentDelivery } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { found } from "../operation.ts";
import { exampleDelivery, WebhookDeliveries, webhookIdParam } from "./schemas.ts";

export const listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  endpoint: "GET /webhooks/:webhookId/deliveries",
  summary: "List the latest deliveries",
  description: "Returns the latest attempts to deliver events to a webhook, the last first. The last 100 are kept.",
  params: webhookIdParam,
  query: { limit: limitField },
  success: {
    description: "The latest attempts.",
    schema: WebhookDeliveries,
    examples: {
      attempts: {
        summary: "One that failed at first",
        value: [
          { ...exampleDelivery, id: 2, attempt: 2, at: "2026-11-15T10:00:05.000Z" },
          {
            ...exampleDelivery,
            outcome: "failed",
            responseStatus: 500,
            error: "The receiver answered with 500.",
            nextAttemptAt: "2026-11-15T10:00:05.000Z",
          },
        ],
      },
    },
  },
  errors: ["NotFound"],
  handle({ params: { webhookId }, query: { limit } }, { store }) {
    const webhook = found(store.webhooks.get(webhookId), () => notFound("webhook", webhookId));
    const deliveries = mapAwaitable(webhook, () => store.webhooks.listDeliveries(webhookId, limit));
    return mapAwaitable(deliveries, (latest) => latest.map(presentDelivery));
  },
});
