import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { Nothing } from "../schema.ts";
import { webhookIdParam } from "./schemas.ts";

export const deleteWebhook = operation({
  id: "deleteWebhook",
  method: "DELETE",
  path: "/webhooks/:webhookId",
  tag: "webhooks",
  summary: "Delete a webhook",
  description: "Deletes a webhook permanently, with what it has yet to get and its deliveries. Its id is never reused.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: webhookIdParam,
  success: { status: 204, description: "The webhook was deleted.", schema: Nothing, examples: {} },
  errors: [],
  current: { read: ({ params: { webhookId } }, { store }) => store.webhooks.get(webhookId), show: presentWebhook },
  async handle({ params: { webhookId }, expected }, { store, webhooks }) {
    await store.webhooks.delete(webhookId, expected);
    webhooks.changed(webhookId);
  },
});
