import { presentDelivery } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { closedEmptyBody } from "../schema.ts";
import { exampleDelivery, WebhookDelivery, webhookIdParam } from "./schemas.ts";

const retriedDelivery = { ...exampleDelivery, nextAttemptAt: "2026-11-15T11:00:00.000Z" };

export const retryWebhookDelivery = operation({
  id: "retryWebhookDelivery",
  endpoint: "POST /webhooks/:webhookId/deliveries/:deliveryId/retry",
  summary: "Retry a delivery",
  description:
    "Sends the event of a recent delivery again immediately, whether it waits for its next attempt or was delivered already. The result is another delivery in the list. A test cannot be retried, and gets 409. An event that is no longer kept cannot be sent again, and gets 410.",
  params: { ...webhookIdParam, deliveryId: int64Field("Identifier of the delivery.") },
  body: closedEmptyBody,
  success: {
    description: "The event is about to be sent again.",
    schema: WebhookDelivery,
    examples: { retried: ["The delivery, with its next attempt", retriedDelivery] },
  },
  errors: ["Conflict", "Gone"],
  async handle({ params: { webhookId, deliveryId } }, { store, clock, webhooks }) {
    const at = clock();
    const delivery = await store.webhooks.retry(webhookId, deliveryId, at);
    // Skipped for a repeated request, because applying a change interrupts deliveries, which are then sent again.
    if (delivery.nextAt === at) webhooks.applyChange(webhookId);
    return presentDelivery(delivery);
  },
});
