import type { Database } from "bun:sqlite";
import type { Int64 } from "../../domain/int64.ts";
import type { Pet } from "../../domain/pet.ts";
import type { KeyRecord, LastIds } from "../store.ts";
import { keyColumns } from "./keys.ts";

export class TransferReader {
  constructor(readonly database: Database) {}

  countPets(): number {
    return this.database.query<{ count: number }, []>("SELECT count(*) AS count FROM pets").get()?.count ?? 0;
  }

  readKeys(): KeyRecord[] {
    return this.database.query<KeyRecord, []>(`SELECT ${keyColumns}, hash FROM keys ORDER BY id`).all();
  }

  lastIds(): LastIds {
    const rows = this.database.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
    const last = (table: string) => rows.find(({ name }) => name === table)?.seq ?? 0;
    return { pets: last("pets"), keys: last("keys") };
  }
}

export function prepareTransferWrites(database: Database) {
  const putPet = database.prepare<null, [number, string, Int64, string]>(
    `INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, category_id = excluded.category_id, status = excluded.status`,
  );
  const putKey = database.prepare(
    `INSERT OR REPLACE INTO keys (id, name, scope, hash, created_at, expires_at, revoked_at, rotated_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const knowTable = database.prepare(
    "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
  );
  const reserve = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1");

  return {
    writePets(pets: readonly Pet[]): void {
      for (const { id, name, categoryId, status } of pets) putPet.run(id, name, categoryId, status);
    },
    writeKeys(keys: readonly KeyRecord[]): void {
      for (const key of keys) {
        const { id, name, scope, hash, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt } = key;
        putKey.run(id, name, scope, hash, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt);
      }
    },
    reserveIds(last: LastIds): void {
      for (const table of ["pets", "keys"] as const) {
        knowTable.run(table);
        reserve.run(table, last[table]);
      }
    },
  };
}
