import { mapAwaitable } from "../../base/awaitable.ts";
import { noSuchKey, presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

export const getKey = operation({
  id: "getKey",
  method: "GET",
  path: "/keys/:keyId",
  tag: "keys",
  summary: "Get a key",
  description: "Returns a single key, without the key itself.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: keyIdParam,
  success: {
    status: 200,
    description: "The key's description.",
    schema: Key,
    examples: { key: { summary: "A key", value: exampleKey } },
  },
  errors: ["NotFound"],
  handle({ params: { keyId } }, { store, clock }) {
    const key = found(store.keys.get(keyId), () => noSuchKey(keyId));
    return mapAwaitable(key, (known) => presentKey(known, clock()));
  },
});
