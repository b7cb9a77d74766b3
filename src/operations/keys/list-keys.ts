import { presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { presentPage } from "../operation.ts";
import { exampleKey, Keys } from "./schemas.ts";

export const listKeys = operation({
  id: "listKeys",
  endpoint: "GET /keys",
  summary: "List keys",
  description:
    "Returns a paginated list of all keys, including those that no longer work, ascending by `id`, with the same paging as the list of animals.",
  query: { limit: limitField },
  isPaged: true,
  success: { description: "A page of keys.", schema: Keys, examples: { page: ["One key", [exampleKey]] } },
  handle: ({ query: { limit }, after }, { store, clock }) =>
    presentPage(store.keys.list({ limit, after }), (key) => presentKey(key, clock())),
});
