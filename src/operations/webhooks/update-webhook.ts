import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { current } from "./current.ts";
import { requireUrl } from "./require-url.ts";
import { exampleWebhook, Webhook, WebhookPatch, webhookIdParam } from "./schemas.ts";

export const updateWebhook = operation({
  id: "updateWebhook",
  endpoint: "PATCH /webhooks/:webhookId",
  summary: "Change a webhook",
  description:
    "Changes the fields in the body and leaves the others as they are. A webhook that is enabled again goes on where it stopped, so that nothing is lost for as long as the log keeps it.",
  params: webhookIdParam,
  body: {
    schema: WebhookPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      disable: { summary: "Send nothing for now", value: { status: "disabled" } },
      move: { summary: "Send everything elsewhere", value: { url: "https://hooks.shop.example/all", types: [] } },
    },
  },
  success: {
    description: "The webhook as it is now.",
    schema: Webhook,
    examples: {
      changed: {
        summary: "The changed webhook",
        value: { ...exampleWebhook, status: "disabled", disabledReason: "request" },
      },
    },
  },
  current,
  async handle({ params: { webhookId }, body, expected }, { store, clock, webhooks }) {
    const { url, types, description, status } = body;
    if (url !== undefined) requireUrl(webhooks, url);
    const changes = { url, types: types?.join(), description, status };
    const changed = await store.webhooks.update(webhookId, changes, clock(), expected);
    webhooks.changed(webhookId);
    return presentWebhook(changed);
  },
});
