import { mapAwaitable } from "../../base/awaitable.ts";
import type { Int64 } from "../../base/int64.ts";
import { notFound } from "../../domain/errors.ts";
import { presentKey, type Key as StoredKey } from "../../domain/key.ts";
import { type Context, found } from "../operation.ts";

export const current = {
  read: ({ params: { keyId } }: { params: { keyId: Int64 } }, { store }: Context) => store.keys.get(keyId),
  show: (key: StoredKey, { clock }: Context) => presentKey(key, clock()),
};

export function readKey(id: Int64, { store, clock }: Context) {
  const key = found(store.keys.get(id), () => notFound("key", id));
  return mapAwaitable(key, (known) => presentKey(known, clock()));
}
