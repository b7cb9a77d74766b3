import { decodeEventCursor } from "../../domain/event-cursor.ts";
import { presentWebhook } from "../../domain/webhook.ts";
import type { EventStore, LogMark } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { requireUnchanged } from "../events/read-events.ts";
import { exampleWebhook, Webhook, WebhookReplay, webhookIdParam } from "./schemas.ts";

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
