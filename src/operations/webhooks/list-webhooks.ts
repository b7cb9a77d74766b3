import { presentWebhook } from "../../domain/webhook.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { presentPage } from "../operation.ts";
import { exampleWebhook, Webhooks } from "./schemas.ts";

export const listWebhooks = operation({
  id: "listWebhooks",
  endpoint: "GET /webhooks",
  summary: "List webhooks",
  description:
    "Returns a paginated list of all webhooks, ascending by `id`, with the same paging as the list of animals.",
  query: { limit: limitField },
  isPaged: true,
  success: {
    description: "A page of webhooks.",
    schema: Webhooks,
    examples: { page: ["One webhook", [exampleWebhook]] },
  },
  handle: ({ query: { limit }, after }, { store }) =>
    presentPage(store.webhooks.list({ limit, after }), presentWebhook),
});
