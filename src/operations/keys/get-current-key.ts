import { mapAwaitable } from "../../base/awaitable.ts";
import { noSuchKey, presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { CurrentKey, environmentKey, exampleKey } from "./schemas.ts";

export const getCurrentKey = operation({
  id: "getCurrentKey",
  method: "GET",
  path: "/keys/current",
  tag: "keys",
  summary: "Get the current key",
  description:
    "Returns the key that the request is sent with, without the key itself: its name, its scope, and when it expires.",
  scope: "read",
  stability: "beta",
  isStrict: true,
  success: {
    status: 200,
    description: "The key's description.",
    schema: CurrentKey,
    examples: {
      stored: { summary: "A stored key", value: exampleKey },
      configured: { summary: "The key that the operator has configured", value: environmentKey },
    },
  },
  errors: ["NotFound"],
  handle(_, { store, clock, caller: { key: id } }) {
    if (id === "environment") return environmentKey;
    // Read again, since a cached caller may be up to a second old.
    const key = found(store.keys.get(id), () => noSuchKey(id));
    return mapAwaitable(key, (known) => presentKey(known, clock()));
  },
});
