import { mapAwaitable } from "../../base/awaitable.ts";
import type { Int64 } from "../../base/int64.ts";
import { presentKey, type Key as StoredKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { type Context, requireFound } from "../operation.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

export const getKey = operation({
  id: "getKey",
  endpoint: "GET /keys/:keyId",
  summary: "Get a key",
  description: "Returns a single key, without the key itself.",
  params: keyIdParam,
  success: { description: "The key's description.", schema: Key, examples: { key: ["A key", exampleKey] } },
  handle: ({ params: { keyId } }, context) => readKey(keyId, context),
});

export function readKey(id: Int64, { store, clock }: Context) {
  return mapAwaitable(requireFound(store.keys.get(id), "key", id), (key) => presentKey(key, clock()));
}

export const currentKey = {
  read: ({ params: { keyId } }: { params: { keyId: Int64 } }, { store }: Context) => store.keys.get(keyId),
  show: (key: StoredKey, { clock }: Context) => presentKey(key, clock()),
};
