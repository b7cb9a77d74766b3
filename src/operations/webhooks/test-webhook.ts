import { newEventId } from "../../domain/event.ts";
import { type NewDelivery, presentDelivery, testDelivery, testEventType } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { closed, NoFields } from "../schema.ts";
import { exampleDelivery, WebhookDelivery, webhookIdParam } from "./schemas.ts";

export const testWebhook = operation({
  id: "testWebhook",
  method: "POST",
  path: "/webhooks/:webhookId/test",
  tag: "webhooks",
  summary: "Send a test event",
  description: `Sends an event of the type \`${testEventType}\` at once, also to a disabled webhook, and returns what came of it. It is tried once, for at most 10 seconds.`,
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
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
    // Before it was deleted, the same request may have been answered.
    if (!webhook) return presentDelivery(await begin(testDelivery(webhookId, newEventId(), clock())));
    return presentDelivery(await webhooks.test(webhook, newEventId(), begin));
  },
});
