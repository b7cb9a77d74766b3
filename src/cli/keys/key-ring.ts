import type { AnimalStore } from "../../../packages/client/src/animal-store.ts";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { withDeadline } from "../../base/deadline.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Key, type PresentedKey, presentKey, type Scope } from "../../domain/key.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import { openExistingStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { openForCommand } from "../store/open-for-command.ts";
import type { Expiry } from "../terminal/time.ts";

export interface KeyRing {
  create(key: { name: string; scope: Scope; expires: Expiry | undefined }): Promise<ShownKey>;
  list(): Promise<PresentedKey[]>;
  rotate(
    id: number,
    rotation: { overlapMs: number; expires: Expiry | undefined },
  ): Promise<{ readonly made: ShownKey; readonly old: PresentedKey }>;
  revoke(id: number): Promise<PresentedKey>;
}

export interface ShownKey extends PresentedKey {
  readonly key: string;
}

export function remoteKeys({ keys }: AnimalStore): KeyRing {
  const timeOf = (expires: Expiry | undefined) => expires && new Date(expires(Date.now())).toISOString();
  return {
    create: ({ name, scope, expires }) => keys.create({ name, scope, expiresAt: timeOf(expires) }),
    list: () => Array.fromAsync(keys.list({ limit: 100 })),
    async rotate(id, { overlapMs, expires }) {
      const made = await keys.rotate(id, { overlapSeconds: overlapMs / 1_000, expiresAt: timeOf(expires) });
      return { made, old: await keys.get(id) };
    },
    revoke: (id) => keys.revoke(id),
  };
}

/** Runs an action on the keys in a database, with the rights of the operator. */
export async function withStoredKeys<Result>(
  database: DatabaseAddress,
  action: (keys: KeyRing) => Promise<Result>,
): Promise<Result> {
  await using opened = await openForCommand(openExistingStore, database);
  return await withDeadline(maxActionMs, action(storedKeys(opened.store)), () => {
    const message = "The store did not respond in time. It is not known whether the request was carried out.";
    return new ServiceError("ServiceUnavailable", message, `no answer within ${maxActionMs} ms`);
  });
}

const maxActionMs = 15_000;

function storedKeys(store: Store): KeyRing {
  const present = (key: Key) => ({ ...presentKey(key, store.clock()), line: key.family });
  return {
    async create({ name, scope, expires }) {
      const key = generateKey();
      const now = store.clock();
      const description = { name, scope, createdAt: now, expiresAt: expires?.(now) ?? null };
      return { ...present(await store.keys.create(description, { hash: hashKey(key) })), key };
    },
    list: async () => (await Array.fromAsync(everyKey(store))).map(present),
    async rotate(id, { overlapMs, expires }) {
      const key = generateKey();
      const now = store.clock();
      const rotation = { at: now, retiresAt: now + overlapMs, expiresAt: expires?.(now), keepLastAdmin: false };
      const made = await store.keys.rotate(id, rotation, { hash: hashKey(key) });
      const old = await store.keys.get(id);
      return { made: { ...present(made), key }, old: present(old ?? made) };
    },
    revoke: async (id) => present(await store.keys.revoke(id, store.clock(), false)),
  };
}

async function* everyKey({ keys }: Store): AsyncIterable<Key> {
  for (let page = await keys.list({ limit: 100 }); ; page = await keys.list({ limit: 100, after: page.next })) {
    yield* page.items;
    if (page.next === undefined) return;
  }
}
