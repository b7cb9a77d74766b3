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
    "Sends the events after a position in the log again, with the same ids and the same bytes, whether they were delivered or not. Pending retries are discarded. A cursor whose events are no longer kept gets 410, and a cursor from another history of the store gets 409.",
  params: webhookIdParam,
  body: {
    schema: WebhookReplay,
    examples: {
      all: ["Everything that the log still has", { from: "beginning" }],
      some: ["Everything after a cursor", { from: "1c.8mAo3fJq0eXk2P" }],
      none: ["Skip what has not been delivered", { from: "end" }],
    },
  },
  success: {
    description: "The events are about to be sent.",
    schema: Webhook,
    examples: { webhook: ["The webhook", exampleWebhook] },
  },
  errors: ["Conflict", "Gone"],
  async handle({ params: { webhookId }, body: { from } }, { store, clock, webhooks }) {
    const after = await findStart(from, store.events);
    const at = clock();
    const webhook = await store.webhooks.replay(webhookId, after, at);
    // Skipped for a repeated request, because applying a change interrupts deliveries, which are then sent again.
    if (webhook.updatedAt === at) webhooks.applyChange(webhookId);
    return presentWebhook(webhook);
  },
});

/** Throws Gone or Conflict if the events after the cursor are no longer available. */
async function findStart(from: string, log: EventStore): Promise<LogMark | undefined> {
  const cursor = decodeEventCursor(from);
  if (cursor) {
    await requireUnchanged(log, cursor);
    return { position: cursor.position, id: (await log.idAt(cursor.position)) ?? "" };
  }
  const ends = await log.ends();
  // The id is empty, because the event before the oldest one is no longer stored.
  return from === "end" ? ends?.newest : ends && { position: ends.oldest.position - 1, id: "" };
}
