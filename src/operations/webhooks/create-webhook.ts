import { operation } from "../definition.ts";
import { getWebhook } from "./get-webhook.ts";
import { requireUrl } from "./require-url.ts";
import { CreatedWebhook, exampleCreatedWebhook, NewWebhook } from "./schemas.ts";
import { showSecret } from "./show-secret.ts";

export const createWebhook = operation({
  id: "createWebhook",
  endpoint: "POST /webhooks",
  summary: "Create a webhook",
  description:
    "Creates a webhook, to which every event from now on is sent, and shows the secret that events are signed with once. Without a key for secrets, which the operator sets, it gets 409, and so does the 101st webhook.",
  body: {
    schema: NewWebhook,
    examples: {
      some: {
        summary: "For what happens to animals",
        value: {
          url: "https://hooks.shop.example/animals",
          types: ["pet.created", "pet.updated", "pet.deleted"],
          description: "keeps the window up to date",
        },
      },
      all: { summary: "For everything", value: { url: "https://hooks.shop.example/all" } },
    },
  },
  success: {
    status: 201,
    description: "Webhook created; the body contains its secret.",
    schema: CreatedWebhook,
    examples: { made: { summary: "The new webhook", value: exampleCreatedWebhook } },
    location: { at: getWebhook, params: ({ id }) => ({ webhookId: id }) },
    isSecret: true,
  },
  errors: ["Conflict"],
  async handle({ body: { url, types, description } }, context) {
    const { store, clock, webhooks } = context;
    requireUrl(webhooks, url);
    const ends = await store.events.ends();
    const webhook = { url, types: types.join(), description, createdAt: clock() };
    return await showSecret(context, (secret) => store.webhooks.create(webhook, secret, ends?.newest));
  },
});
