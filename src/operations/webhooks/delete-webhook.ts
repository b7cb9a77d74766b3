import { operation } from "../definition.ts";
import { Nothing } from "../schema.ts";
import { current } from "./current.ts";
import { webhookIdParam } from "./schemas.ts";

export const deleteWebhook = operation({
  id: "deleteWebhook",
  endpoint: "DELETE /webhooks/:webhookId",
  summary: "Delete a webhook",
  description: "Deletes a webhook permanently, with what it has yet to get and its deliveries. Its id is never reused.",
  params: webhookIdParam,
  success: { status: 204, description: "The webhook was deleted.", schema: Nothing, examples: {} },
  current,
  async handle({ params: { webhookId }, expected }, { store, webhooks }) {
    await store.webhooks.delete(webhookId, expected);
    webhooks.changed(webhookId);
  },
});
