import { operation } from "../definition.ts";
import { NoBody } from "../schema.ts";
import { currentWebhook } from "./get-webhook.ts";
import { webhookIdParam } from "./schemas.ts";

export const deleteWebhook = operation({
  id: "deleteWebhook",
  endpoint: "DELETE /webhooks/:webhookId",
  summary: "Delete a webhook",
  description: "Deletes a webhook permanently, with its pending events and its deliveries. Its id is never reused.",
  params: webhookIdParam,
  success: { status: 204, description: "The webhook was deleted.", schema: NoBody, examples: {} },
  current: currentWebhook,
  async handle({ params: { webhookId }, expected }, { store, webhooks }) {
    await store.webhooks.delete(webhookId, expected);
    webhooks.applyChange(webhookId);
  },
});
