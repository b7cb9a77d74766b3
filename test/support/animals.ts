import { Database } from "bun:sqlite";

/**
 * Puts animals straight into the file: the id's remainders by 3 and by 5 are their status and their category. Each may have more
 * behind its name, because a file grows large sooner by long names than by many.
 */
export function fillDatabase(path: string, count: number, afterName = ""): void {
  using database = new Database(path);
  database.run("PRAGMA busy_timeout = 5000");
  database.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT id + 1 FROM ids WHERE id < ?1)
     INSERT INTO pets (name, category_id, status)
     SELECT 'Animal ' || id || ?2, id % 5, CASE id % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END FROM ids`,
    [count, afterName],
  );
}
