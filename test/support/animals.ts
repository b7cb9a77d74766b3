import { Database } from "bun:sqlite";

/** Inserts animals whose id determines the status (modulo 3) and the category (modulo 5). A long `nameSuffix` makes the file large. */
export function fillDatabase(path: string, count: number, nameSuffix = ""): void {
  using database = new Database(path);
  database.run("PRAGMA busy_timeout = 5000");
  database.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT id + 1 FROM ids WHERE id < ?1)
     INSERT INTO pets (name, category_id, status)
     SELECT 'Animal ' || id || ?2, id % 5, CASE id % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END FROM ids`,
    [count, nameSuffix],
  );
}
