import { mapAwaitable } from "../base/awaitable.ts";
import { newEventId } from "../domain/event.ts";
import { decodeEventCursor } from "../domain/event-cursor.ts";
import {
  deliveryOutcomes,
  type NewDelivery,
  noSuchWebhook,
  presentDelivery,
  presentWebhook,
  testDelivery,
  testEventType,
} from "../domain/webhook.ts";
import type { EventStore, LogMark } from "../store/store.ts";
import { operation } from "./definition.ts";
import { requireUnchanged } from "./events/read-events.ts";
import { idField, int64Field, limitField, objectSchema, optionalTimeField, pageSchema, timeField } from "./fields.ts";
import { found } from "./operation.ts";
import { closed, NoFields } from "./schema.ts";
import { exampleWebhook, Webhook, WebhookReplay, webhookIdParam } from "./webhooks.ts";

export const WebhookDelivery = objectSchema("WebhookDelivery", "An attempt to deliver an event.", {
  id: idField("Identifier of the delivery."),
  eventId: { type: "string", description: "Identifier of the event, which the receiver gets as `webhook-id`." },
  type: { type: "string", description: "Type of the event; `webhook.test` for a test." },
  subject: { type: "string", description: "What the event is about." },
  attempt: { type: "integer", minimum: 1, description: "Which attempt it was, from 1 on." },
  at: timeField("When it began."),
  outcome: {
    type: "string",
    enum: deliveryOutcomes,
    description: "What came of it: only a status from 200 to 299 is `delivered`. `pending` while that is not known.",
  },
  responseStatus: {
    type: ["integer", "null"],
    description: "The HTTP status code of the response; null if there was none.",
  },
  error: { type: ["string", "null"], description: "Why it failed; null if it did not." },
  durationMs: {
    type: ["integer", "null"],
    minimum: 0,
    description: "How many milliseconds it took; null while it is not over.",
  },
  nextAttemptAt: optionalTimeField("When the event is tried again; null if it is not."),
});

export const WebhookDeliveries = pageSchema(
  "WebhookDeliveries",
  "The latest attempts, the last first.",
  WebhookDelivery,
);

const exampleDelivery = {
  id: 1,
  eventId: "evt_1f0c5a3be2d94a0e8f3d6b7c81a2e4f5",
  type: "pet.created",
  subject: "pets/12",
  attempt: 1,
  at: "2026-11-15T10:00:00.000Z",
  outcome: "delivered",
  responseStatus: 204,
  error: null,
  durationMs: 31,
  nextAttemptAt: null,
} as const;

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
    const webhook = found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId));
    const deliveries = mapAwaitable(webhook, () => store.webhooks.deliveries(webhookId, limit));
    return mapAwaitable(deliveries, (latest) => latest.map(presentDelivery));
  },
});

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

export const replayWebhook = operation({
  id: "replayWebhook",
  endpoint: "POST /webhooks/:webhookId/replay",
  summary: "Replay events",
  description:
    "Sends the events from somewhere in the log on again, with the same ids and the same bytes, whether they were delivered or not. What was waiting to be retried is forgotten. A cursor whose events are no longer kept gets 410, and one of another history 409.",
  params: webhookIdParam,
  body: {
    schema: WebhookReplay,
    examples: {
      all: { summary: "Everything that the log still has", value: { from: "beginning" } },
      some: { summary: "Everything after a cursor", value: { from: "1c.8mAo3fJq0eXk2P" } },
      none: { summary: "Skip what has not been delivered", value: { from: "end" } },
    },
  },
  success: {
    description: "The events are about to be sent.",
    schema: Webhook,
    examples: { webhook: { summary: "The webhook", value: exampleWebhook } },
  },
  errors: ["Conflict", "Gone"],
  async handle({ params: { webhookId }, body: { from } }, { store, clock, webhooks }) {
    const after = await markFor(from, store.events);
    const at = clock();
    const webhook = await store.webhooks.replay(webhookId, after, at);
    // Not for repeated requests, because the change interrupts deliveries, which are then sent again.
    if (webhook.updatedAt === at) webhooks.changed(webhookId);
    return presentWebhook(webhook);
  },
});

/** Throws Gone or Conflict if the events after the cursor are no longer available. */
async function markFor(from: string, log: EventStore): Promise<LogMark | undefined> {
  const cursor = decodeEventCursor(from);
  if (cursor) {
    await requireUnchanged(log, cursor);
    return { position: cursor.position, id: (await log.idAt(cursor.position)) ?? "" };
  }
  const ends = await log.ends();
  // The id of the event before the oldest one is no longer known.
  return from === "end" ? ends?.newest : ends && { position: ends.oldest.position - 1, id: "" };
}

export const deliveryOperations = [testWebhook, listWebhookDeliveries, retryWebhookDelivery, replayWebhook];
export const deliverySchemas = [WebhookDelivery, WebhookDeliveries];
