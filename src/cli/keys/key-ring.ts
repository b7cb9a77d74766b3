import type { DatabaseAddress } from "../../base/database-address.ts";
import { withDeadline } from "../../base/deadline.ts";
import type { Int64 } from "../../base/int64.ts";
import { notFound, ServiceError } from "../../domain/errors.ts";
import { type Key, type PresentedKey, presentKey, type Scope } from "../../domain/key.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import { openExistingStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { openForCommand } from "../store/open-for-command.ts";

/** The keys of a service or of a database, with the methods of the client. Times are in ISO format. */
export interface KeyRing {
  create(key: { name: string; scope: Scope; expiresAt: string | undefined }): PromiseLike<ShownKey>;
  list(page: { limit: number }): AsyncIterable<PresentedKey>;
  get(id: number): PromiseLike<PresentedKey>;
  rotate(id: number, rotation: { overlapSeconds: number; expiresAt: string | undefined }): PromiseLike<ShownKey>;
  revoke(id: number): PromiseLike<PresentedKey>;
}

type ShownKey = PresentedKey & { readonly key: string };

/** Runs an action on the keys in a database, with the rights of the operator. */
export async function withStoredKeys<Result>(
  database: DatabaseAddress,
  action: (keys: KeyRing) => Promise<Result>,
): Promise<Result> {
  await using opened = await openForCommand(openExistingStore, database);
  return await withDeadline(maxActionMs, action(createKeyRing(opened.store)), () => {
    const message = "The store did not respond in time. It is not known whether the request was carried out.";
    return new ServiceError("ServiceUnavailable", message, `no answer within ${maxActionMs} ms`);
  });
}

const maxActionMs = 15_000;

function createKeyRing({ keys, clock }: Store): KeyRing {
  const present = (key: Key) => ({ ...presentKey(key, clock()), line: key.family });
  return {
    async create({ name, scope, expiresAt }) {
      const key = generateKey();
      const description = { name, scope, createdAt: clock(), expiresAt: toTime(expiresAt) ?? null };
      return { ...present(await keys.create(description, { hash: hashKey(key) })), key };
    },
    async *list(page) {
      for (let after: Int64 | undefined; ; ) {
        const { items, next } = await keys.list({ ...page, after });
        yield* items.map(present);
        if (next === undefined) return;
        after = next;
      }
    },
    async get(id) {
      const key = await keys.get(id);
      if (!key) throw notFound("key", id);
      return present(key);
    },
    async rotate(id, { overlapSeconds, expiresAt }) {
      const key = generateKey();
      const at = clock();
      const times = { at, retiresAt: at + overlapSeconds * 1_000, expiresAt: toTime(expiresAt) };
      return { ...present(await keys.rotate(id, { ...times, keepLastAdmin: false }, { hash: hashKey(key) })), key };
    },
    revoke: async (id) => present(await keys.revoke(id, clock(), false)),
  };
}

function toTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
