import type { NewKey } from "../../src/domain/key.ts";
import { generateKey, hashKey } from "../../src/domain/key-secret.ts";
import type { Store } from "../../src/store/store.ts";

/** Adds a key to the store, by default with the scope read. Returns the key and its id. */
export async function addKey({ keys }: Store, description: Partial<NewKey> = {}): Promise<{ key: string; id: number }> {
  const key = generateKey();
  const { id } = await keys.create(
    { name: "test", scope: "read", createdAt: 0, expiresAt: null, ...description },
    { hash: hashKey(key) },
  );
  return { key, id };
}
