import type { Database, Statement } from "bun:sqlite";
import { type Key, keyState, type NewKey } from "../../domain/key.ts";
import type { KeyUse } from "../store.ts";

export class KeyReader {
  readonly #all: Statement<Key, []>;
  readonly #byHash: Statement<Key, [Uint8Array]>;

  constructor(database: Database) {
    this.#all = database.prepare(`SELECT ${keyColumns} FROM keys ORDER BY id`);
    this.#byHash = database.prepare(`SELECT ${keyColumns} FROM keys WHERE hash = ?`);
  }

  list(): Key[] {
    return this.#all.all();
  }

  find(hash: Uint8Array): Key | undefined {
    return this.#byHash.get(hash) ?? undefined;
  }
}

export function prepareKeyWrites(database: Database) {
  const any = database.prepare("SELECT 1 FROM keys LIMIT 1");
  const byId = database.prepare<Key, [number]>(`SELECT ${keyColumns} FROM keys WHERE id = ?`);
  const insert = database.prepare<Key, [string, string, Uint8Array, number, number | null]>(
    `INSERT INTO keys (name, scope, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?) RETURNING ${keyColumns}`,
  );
  const retire = database.prepare(
    "UPDATE keys SET rotated_at = ?3, expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?1",
  );
  const revoke = database.prepare("UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL");
  const recordUse = database.prepare(
    "UPDATE keys SET last_used_at = ?2 WHERE id = ?1 AND coalesce(last_used_at < ?2, true)",
  );

  const create = ({ key, hash }: KeyCreation): Key => {
    const created = insert.get(key.name, key.scope, hash, key.createdAt, key.expiresAt);
    if (!created) throw new Error("An insert returned no key.");
    return created;
  };

  return {
    createKey: create,
    createFirstKey: (creation: KeyCreation): Key | undefined => (any.get() ? undefined : create(creation)),
    rotateKey({ id, retiresAt, ...creation }: KeyRotation): Key | undefined {
      const old = byId.get(id);
      if (!old || keyState(old, creation.key.createdAt) !== "active") return undefined;
      retire.run(id, retiresAt, creation.key.createdAt);
      return create(creation);
    },
    revokeKey({ id, at }: KeyUse): Key | undefined {
      revoke.run(id, at);
      return byId.get(id) ?? undefined;
    },
    recordKeyUse(uses: readonly KeyUse[]): void {
      for (const { id, at } of uses) recordUse.run(id, at);
    },
  };
}

interface KeyCreation {
  readonly key: NewKey;
  readonly hash: Uint8Array;
}

interface KeyRotation extends KeyCreation {
  readonly id: number;
  readonly retiresAt: number;
}

export const keyColumns =
  "id, name, scope, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, rotated_at AS rotatedAt, last_used_at AS lastUsedAt";
