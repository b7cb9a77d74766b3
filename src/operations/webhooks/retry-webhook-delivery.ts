import { presentDelivery } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { closed, NoFields } from "../schema.ts";
import { exampleDelivery, WebhookDelivery, webhookIdParam } from "./schemas.ts";

export const retryWebhookDelivery = operation({
  id: "retryWebhookDelivery",
  endpoint: "POST /webhooks/:webhookId/deliveries/:deliveryId/retry",
  summary: "Retry a delivery",
  description:
    "Has the event of a recent delivery sent again at once: one that waits for its next attempt, or one that was delivered already. What comes of it is another delivery in the list. A test cannot be retried, and gets 409. An event that is no longer kept cannot be sent again, and gets 410.",
  params: { ...webhookIdParam, deliveryId: int64Field("Identifier of the delivery.") },
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    description: "The event is about to be sent again.",
    schema: WebhookDelivery,
    examples: {
      retried: {
        summary: "The delivery, with its next attempt",
        value: { ...exampleDelivery, nextAttemptAt: "2026-11-15T11:00:00.000Z" },
      },
    },
  },
  errors: ["NotFound", "Conflict", "Gone"],
  async handle({ params: { webhookId, deliveryId } }, { store, clock, webhooks }) {
    const at = clock();
    const delivery = await store.webhooks.retry(webhookId, deliveryId, at);
    // Not for repeated requests, because the change interrupts deliveries, which are then sent again.
    if (delivery.nextAt === at) webhooks.changed(webhookId);
    return presentDelivery(delivery);
  },
});
