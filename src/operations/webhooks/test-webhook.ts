import { newEventId } from "../../domain/event.ts";
import { createTestDelivery, type NewDelivery, presentDelivery, testEventType } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { closedEmptyBody } from "../schema.ts";
import { exampleDelivery, WebhookDelivery, webhookIdParam } from "./schemas.ts";

const exampleTest = { ...exampleDelivery, type: testEventType, subject: "webhooks/1" };

export const testWebhook = operation({
  id: "testWebhook",
  endpoint: "POST /webhooks/:webhookId/test",
  summary: "Send a test event",
  description: `Sends an event of the type \`${testEventType}\` immediately, even to a disabled webhook, and returns the result. There is only one attempt, of at most 10 seconds.`,
  params: webhookIdParam,
  body: closedEmptyBody,
  success: {
    description: "The result of the attempt, whether it was successful or not.",
    schema: WebhookDelivery,
    examples: { delivered: ["The receiver has accepted the event", exampleTest] },
  },
  errors: ["Conflict"],
  async handle({ params: { webhookId } }, { store, clock, webhooks }) {
    const begin = (delivery: NewDelivery) => store.webhooks.beginDelivery(webhookId, delivery);
    const webhook = await store.webhooks.get(webhookId);
    // The webhook may have been deleted since the first request, whose response a repeated request still gets.
    if (!webhook) return presentDelivery(await begin(createTestDelivery(webhookId, newEventId(), clock())));
    return presentDelivery(await webhooks.test(webhook, newEventId(), begin));
  },
});
