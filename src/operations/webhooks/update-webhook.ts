import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { requireAllowedUrl } from "./create-webhook.ts";
import { currentWebhook } from "./get-webhook.ts";
import { exampleWebhook, Webhook, WebhookPatch, webhookIdParam } from "./schemas.ts";

const disabledWebhook = { ...exampleWebhook, status: "disabled", disabledReason: "request" };

export const updateWebhook = operation({
  id: "updateWebhook",
  endpoint: "PATCH /webhooks/:webhookId",
  summary: "Change a webhook",
  description:
    "Changes the fields in the body and leaves the others as they are. A webhook that is enabled again continues where it stopped, so it misses no event that the log still keeps.",
  params: webhookIdParam,
  body: {
    schema: WebhookPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      disable: ["Send nothing for now", { status: "disabled" }],
      move: ["Send everything elsewhere", { url: "https://hooks.shop.example/all", types: [] }],
    },
  },
  success: {
    description: "The webhook as it is now.",
    schema: Webhook,
    examples: { changed: ["The changed webhook", disabledWebhook] },
  },
  current: currentWebhook,
  async handle({ params: { webhookId }, body, expected }, { store, clock, webhooks }) {
    if (body.url !== undefined) requireAllowedUrl(webhooks, body.url);
    const changes = { ...body, types: body.types?.join() };
    const changed = await store.webhooks.update(webhookId, changes, clock(), expected);
    webhooks.applyChange(webhookId);
    return presentWebhook(changed);
  },
});
