import { type Key, keyState, type NewKey, type Scope } from "../../domain/key.ts";
import type { KeyStore } from "../store.ts";
import { arrayOf, type Connection, type Query } from "./connection.ts";

/** Keys are looked up by `read`, which may read from a standby; everything else is for the primary. */
export function keyStore(primary: Connection, read: Query): KeyStore {
  return {
    async list() {
      const rows = await primary.query<KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY id`);
      return rows.map(toKey);
    },

    async find(hash) {
      const [row] = await read<KeyRow>(`SELECT ${keyColumns} FROM keys WHERE hash = $1`, [hash]);
      return row && toKey(row);
    },

    create: (key, hash) => create(primary.query, key, hash),

    createFirst: (key, hash) =>
      primary.transaction(async (query) => {
        // Instances that start at once do so one after the other here, so that only the first finds none.
        await query("LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE");
        const [found] = await query("SELECT 1 FROM keys LIMIT 1");
        return found ? undefined : await create(query, key, hash);
      }),

    rotate: (id, retiresAt, successor, hash) =>
      primary.transaction(async (query) => {
        const [row] = await query<KeyRow>(`SELECT ${keyColumns} FROM keys WHERE id = $1 FOR UPDATE`, [id]);
        if (!row || keyState(toKey(row), successor.createdAt) !== "active") return undefined;
        await query("UPDATE keys SET rotated_at = $3, expires_at = least(expires_at, $2) WHERE id = $1", [
          id,
          retiresAt,
          successor.createdAt,
        ]);
        return await create(query, successor, hash);
      }),

    async revoke(id, at) {
      const [row] = await primary.query<KeyRow>(
        `UPDATE keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING ${keyColumns}`,
        [id, at],
      );
      return row && toKey(row);
    },

    async recordUse(uses) {
      await primary.query(
        `UPDATE keys SET last_used_at = greatest(last_used_at, used.at)
         FROM unnest($1::bigint[], $2::bigint[]) AS used (id, at) WHERE keys.id = used.id`,
        [
          arrayOf(
            uses.map(({ id }) => id),
            "INT8",
          ),
          arrayOf(
            uses.map(({ at }) => at),
            "INT8",
          ),
        ],
      );
    },
  };
}

async function create(query: Query, key: NewKey, hash: Uint8Array): Promise<Key> {
  const [row] = await query<KeyRow>(
    `INSERT INTO keys (name, scope, hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) RETURNING ${keyColumns}`,
    [key.name, key.scope, hash, key.createdAt, key.expiresAt],
  );
  if (!row) throw new Error("An insert returned no key.");
  return toKey(row);
}

export const keyColumns = "id, name, scope, created_at, expires_at, revoked_at, rotated_at, last_used_at";

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly rotated_at: string | null;
  readonly last_used_at: string | null;
}

export function toKey(row: KeyRow): Key {
  const time = (digits: string | null) => (digits === null ? null : Number(digits));
  return {
    id: Number(row.id),
    name: row.name,
    scope: row.scope,
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    rotatedAt: time(row.rotated_at),
    lastUsedAt: time(row.last_used_at),
  };
}
