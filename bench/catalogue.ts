import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { DatabaseAddress } from "../src/base/database-address.ts";
import { openStore } from "../src/store/open-store.ts";

/** Creates a database with animals. The status depends on the id modulo 3, and the category on the id modulo 5. */
export async function makeCatalogue(address: DatabaseAddress, count: number): Promise<void> {
  const store = await openStore(address, {
    poolSize: 1,
    onDeath(reason) {
      throw new Error(reason);
    },
  });
  await store.close();
  if (count === 0) return;
  if (address.kind === "sqlite") fillSqlite(address.path, count);
  else await fillPostgres(address.urls[0] ?? "", address.schema, count);
}

function fillSqlite(path: string, count: number): void {
  using database = new Database(path);
  // Saves time, because the animals need not survive a power cut.
  database.run("PRAGMA synchronous = OFF");
  database.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
     INSERT INTO pets (name, category_id, status)
     SELECT 'Animal ' || id, id % 5, CASE id % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END FROM ids`,
    [count],
  );
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function fillPostgres(url: string, schema: string, count: number): Promise<void> {
  const sql = new SQL({ url, max: 1, connection: { search_path: schema } });
  await sql.unsafe(
    `INSERT INTO pets (name, category_id, status)
     SELECT 'Animal ' || id, id % 5, (ARRAY['available', 'pending', 'sold'])[id % 3 + 1]
     FROM generate_series(1, ${count}) AS ids (id) ORDER BY id`,
  );
  await sql.unsafe("VACUUM ANALYZE pets");
  await sql.close();
}
