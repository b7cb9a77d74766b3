import type { KeyRecord, LastIds, Transfer } from "../store.ts";
import { arrayOf, type Connection } from "./connection.ts";
import { type KeyRow, keyColumns, toKey } from "./keys.ts";

export function transferOf(connection: Connection): Transfer {
  return {
    async countPets() {
      const [row] = await connection.query<{ count: string }>("SELECT count(*) AS count FROM pets");
      return Number(row?.count);
    },

    async readKeys(): Promise<KeyRecord[]> {
      const rows = await connection.query<KeyRow & { hash: Uint8Array }>(
        `SELECT ${keyColumns}, hash FROM keys ORDER BY id`,
      );
      return rows.map((row) => ({ ...toKey(row), hash: row.hash }));
    },

    async lastIds(): Promise<LastIds> {
      const [row] = await connection.query<{ pets: string; keys: string }>(
        `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('pets', 'id')), 0) AS pets,
                coalesce(pg_sequence_last_value(pg_get_serial_sequence('keys', 'id')), 0) AS keys`,
      );
      return { pets: Number(row?.pets), keys: Number(row?.keys) };
    },

    async writePets(pets) {
      await connection.query(
        `INSERT INTO pets (id, name, category_id, status) OVERRIDING SYSTEM VALUE
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, category_id = excluded.category_id, status = excluded.status`,
        [
          arrayOf(
            pets.map(({ id }) => id),
            "INT8",
          ),
          arrayOf(
            pets.map(({ name }) => name),
            "TEXT",
          ),
          arrayOf(
            pets.map(({ categoryId }) => categoryId),
            "INT8",
          ),
          arrayOf(
            pets.map(({ status }) => status),
            "TEXT",
          ),
        ],
      );
    },

    async writeKeys(keys) {
      for (const key of keys) {
        await connection.query(
          `INSERT INTO keys (id, name, scope, hash, created_at, expires_at, revoked_at, rotated_at, last_used_at)
           OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (id) DO UPDATE SET name = excluded.name, scope = excluded.scope, hash = excluded.hash,
             created_at = excluded.created_at, expires_at = excluded.expires_at, revoked_at = excluded.revoked_at,
             rotated_at = excluded.rotated_at, last_used_at = excluded.last_used_at`,
          [
            key.id,
            key.name,
            key.scope,
            key.hash,
            key.createdAt,
            key.expiresAt,
            key.revokedAt,
            key.rotatedAt,
            key.lastUsedAt,
          ],
        );
      }
    },

    async reserveIds(last) {
      for (const table of ["pets", "keys"] as const) {
        if (last[table] === 0) continue;
        await connection.query(
          `SELECT setval(pg_get_serial_sequence('${table}', 'id'),
             greatest($1, coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')), 1)))`,
          [last[table]],
        );
      }
    },
  };
}
