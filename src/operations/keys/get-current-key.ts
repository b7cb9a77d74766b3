import { noSuchKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { CurrentKey, environmentKey, exampleKey, presentKey } from "./schemas.ts";

export const getCurrentKey = operation({
  id: "getCurrentKey",
  method: "GET",
  path: "/keys/current",
  tag: "keys",
  summary: "Get the key that asks",
  description:
    "Returns what there is to know of the key that the request is sent with, but for the key itself: its name, what it may be used for, and until when.",
  scope: "read",
  stability: "beta",
  isStrict: true,
  success: {
    status: 200,
    description: "The key's description.",
    schema: CurrentKey,
    examples: {
      stored: { summary: "A key of the store", value: exampleKey },
      configured: { summary: "The key that the operator has configured", value: environmentKey },
    },
  },
  errors: ["NotFound"],
  handle: async (_, { store, clock, caller: { key: id } }) => {
    if (id === "environment") return environmentKey;
    // Read anew, since what is remembered of a caller may be half a second old.
    const key = await found(store.keys.get(id), () => noSuchKey(id));
    return presentKey(key, clock());
  },
});
