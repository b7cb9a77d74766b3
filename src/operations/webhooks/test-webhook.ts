import { newEventId } from "../../domain/event.ts";
import { type NewDelivery, presentDelivery, testDelivery, testEventType } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { closed, NoFields } from "../schema.ts";
import { exampleDelivery, WebhookDelivery, webhookIdParam } from "./schemas.ts";

export const testWebhook = operation({
  id: "testWebhook",
  endpoint: "POST /webhooks/:webhookId/test",
  summary: "Send a test event",
  description: `Sends an event of the type \`${testEventType}\` at once, also to a disabled webhook, and returns what came of it. It is tried once, for at most 10 seconds.`,
  params: webhookIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    description: "What came of it, success or not.",
    schema: WebhookDelivery,
    examples: {
      delivered: {
        summary: "The receiver has taken it",
        value: { ...exampleDelivery, type: testEventType, subject: "webhooks/1" },
      },
    },
  },
  errors: ["Conflict"],
  async handle({ params: { webhookId } }, { store, clock, webhooks }) {
    const begin = (delivery: NewDelivery) => store.webhooks.beginDelivery(webhookId, delivery);
    const webhook = await store.webhooks.get(webhookId);
    // The store may still have the response to the same request from before the webhook was deleted.
    if (!webhook) return presentDelivery(await begin(testDelivery(webhookId, newEventId(), clock())));
    return presentDelivery(await webhooks.test(webhook, newEventId(), begin));
  },
});
