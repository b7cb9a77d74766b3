import { mapAwaitable } from "../../base/awaitable.ts";
import { presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { exampleKey, Keys } from "./schemas.ts";

export const listKeys = operation({
  id: "listKeys",
  method: "GET",
  path: "/keys",
  tag: "keys",
  summary: "List keys",
  description:
    "Returns a paginated list of all keys, including those that no longer work, ascending by `id`, with the same paging as the list of animals.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of keys.",
    schema: Keys,
    examples: { page: { summary: "One key", value: [exampleKey] } },
  },
  errors: [],
  handle({ query: { limit }, after }, { store, clock }) {
    const page = store.keys.list({ limit, after });
    return mapAwaitable(page, ({ items, next }) => ({ items: items.map((key) => presentKey(key, clock())), next }));
  },
});
