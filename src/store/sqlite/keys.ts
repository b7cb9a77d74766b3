import type { Database, Statement } from "bun:sqlite";
import { farthestAheadMs, timeOfChange } from "../../base/clock.ts";
import { keyCreated, keyRevoked, keyRotated } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import {
  type Key,
  type NewKey,
  noSuchKey,
  requireActive,
  requireGivable,
  requireLastingAdmin,
  successorOf,
} from "../../domain/key.ts";
import type { CreatedKey, KeySecret, KeyStore, KeyUse } from "../store.ts";
import { keyTable } from "../tables.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";

export class KeyReader extends PageReader<Key> {
  readonly #byHash: Statement<Key, [Uint8Array]>;

  constructor(database: Database) {
    super(database, keyTable);
    this.#byHash = database.prepare(`SELECT ${keyTable.selected} FROM keys WHERE hash = ?`);
  }

  find(hash: Uint8Array): Key | undefined {
    return this.#byHash.get(hash) ?? undefined;
  }
}

export function prepareKeyWrites(database: Database) {
  const keys = new KeyReader(database);
  const any = database.prepare("SELECT 1 FROM keys LIMIT 1");
  const admins = database.prepare<Key, []>(`SELECT ${keyTable.selected} FROM keys WHERE scope = 'admin'`);
  const insert = database.prepare<Key, [string, string, Uint8Array, number, number | null, number | null]>(
    `INSERT INTO keys (name, scope, hash, created_at, expires_at, line) VALUES (?, ?, ?, ?, ?, ?)
     RETURNING ${keyTable.selected}`,
  );
  const retire = database.prepare(
    "UPDATE keys SET rotated_at = ?3, expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?1",
  );
  const revoke = database.prepare("UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL");
  const recordUse = database.prepare(
    `UPDATE keys SET last_used_at = max(?2, created_at)
     WHERE id = ?1 AND coalesce(last_used_at NOT BETWEEN ?2 AND ?2 + ${farthestAheadMs}, true)`,
  );

  const create = (key: NewKey, secret: KeySecret, log: Log, line: number | null = null): CreatedKey => {
    const created = insert.get(key.name, key.scope, secret.hash, key.createdAt, key.expiresAt, line);
    if (!created) throw new Error("An insert returned no key.");
    log([{ ...keyCreated(created, created.createdAt), id: created.id }]);
    return { ...created, sealed: secret.sealed };
  };

  return {
    createKey([key, secret, maker]: Arguments<"create">, log: Log): CreatedKey {
      requireGivable(key, maker);
      return create(key, secret, log);
    },
    createFirstKey: ([key, secret]: Arguments<"createFirst">, log: Log): Key | undefined => {
      return any.get() ? undefined : create(key, secret, log);
    },
    rotateKey([id, rotation, secret, expected]: Arguments<"rotate">, log: Log): CreatedKey {
      const old = requireActive(keys.get(id), id, rotation.at, expected);
      const successor = successorOf(old, rotation);
      if (rotation.keepLastAdmin) requireLastingAdmin(old, admins.all(), rotation.at, successor);
      retire.run(old.id, rotation.retiresAt, timeOfChange(rotation.at, old.createdAt));
      log(keyRotated(old, keys.get(old.id) ?? old, rotation.at));
      return create(successor, secret, log, old.line);
    },
    revokeKey([id, at, keepLastAdmin, expected]: Arguments<"revoke">, log: Log): Key {
      const key = keys.get(id);
      if (!key) throw noSuchKey(id);
      requireExpected(key, expected);
      if (keepLastAdmin) requireLastingAdmin(key, admins.all(), at);
      const revokedAt = key.revokedAt ?? timeOfChange(at, key.createdAt, key.rotatedAt);
      revoke.run(key.id, revokedAt);
      const revoked = { ...key, revokedAt };
      log(keyRevoked(key, revoked, at));
      return revoked;
    },
    recordKeyUse(uses: readonly KeyUse[]): void {
      for (const { id, at } of uses) recordUse.run(id, at);
    },
  };
}

type Arguments<Name extends keyof KeyStore> = Parameters<KeyStore[Name]>;
