import { mapAwaitable } from "../../base/awaitable.ts";
import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { exampleWebhook, Webhooks } from "./schemas.ts";

export const listWebhooks = operation({
  id: "listWebhooks",
  method: "GET",
  path: "/webhooks",
  tag: "webhooks",
  summary: "List webhooks",
  description:
    "Returns a paginated list of all webhooks, ascending by `id`, with the same paging as the list of animals.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of webhooks.",
    schema: Webhooks,
    examples: { page: { summary: "One webhook", value: [exampleWebhook] } },
  },
  errors: [],
  handle({ query: { limit }, after }, { store }) {
    const page = store.webhooks.list({ limit, after });
    return mapAwaitable(page, ({ items, next }) => ({ items: items.map(presentWebhook), next }));
  },
});
