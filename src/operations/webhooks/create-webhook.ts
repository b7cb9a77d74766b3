import { operation } from "../definition.ts";
import { InvalidInput } from "../invalid-input.ts";
import type { WebhookService } from "../operation.ts";
import { getWebhook } from "./get-webhook.ts";
import { CreatedWebhook, exampleCreatedWebhook, exampleWebhook, NewWebhook } from "./schemas.ts";
import { showSecret } from "./show-secret.ts";

const { url, types, description } = exampleWebhook;

export const createWebhook = operation({
  id: "createWebhook",
  endpoint: "POST /webhooks",
  summary: "Create a webhook",
  description:
    "Creates a webhook, which receives every event from now on. The response shows the secret that signs the events; it is not shown again. The request gets 409 if the operator has not set a key for secrets, or if there are 100 webhooks already.",
  body: {
    schema: NewWebhook,
    examples: {
      some: ["For events of animals", { url, types, description }],
      all: ["For everything", { url: "https://hooks.shop.example/all" }],
    },
  },
  success: {
    status: 201,
    description: "Webhook created; the body contains its secret.",
    schema: CreatedWebhook,
    examples: { made: ["The new webhook", exampleCreatedWebhook] },
    location: { at: getWebhook, params: ({ id }) => ({ webhookId: id }) },
    isSecret: true,
  },
  errors: ["Conflict"],
  async handle({ body: { url, types, description } }, context) {
    const { store, clock, webhooks } = context;
    requireAllowedUrl(webhooks, url);
    const ends = await store.events.ends();
    const webhook = { url, types: types.join(), description, createdAt: clock() };
    return await showSecret(context, (secret) => store.webhooks.create(webhook, secret, ends?.newest));
  },
});

export function requireAllowedUrl(webhooks: WebhookService, url: string): void {
  const complaint = webhooks.findUrlComplaint(url);
  if (complaint !== undefined) throw new InvalidInput([{ pointer: "#/url", message: `url ${complaint}` }]);
}
