import { noSuchKey } from "../../domain/key.ts";
import { operation } from "../operation.ts";
import { exampleKey, Key, keyIdParam, presentKey } from "./schemas.ts";

export const getKey = operation({
  id: "getKey",
  method: "GET",
  path: "/keys/:keyId",
  tag: "keys",
  summary: "Get a key",
  description: "Returns what there is to know of a key, but for the key itself.",
  scope: "admin",
  stability: "beta",
  params: keyIdParam,
  success: {
    status: 200,
    description: "The key's description.",
    schema: Key,
    examples: { key: { summary: "A key", value: exampleKey } },
  },
  errors: ["NotFound"],
  async handle({ params: { keyId } }, { store, clock }) {
    const key = await store.keys.get(keyId);
    if (!key) throw noSuchKey(keyId);
    return presentKey(key, clock());
  },
});
