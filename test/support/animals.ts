import { Database } from "bun:sqlite";

const statuses = ["available", "pending", "sold"] as const;

/** Puts animals straight into the file: the id's remainders by 3 and by 5 are their status and their category. */
export function fillDatabase(path: string, count: number): void {
  using database = new Database(path);
  database.run("PRAGMA busy_timeout = 5000");
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  database.transaction(() => {
    for (let id = 1; id <= count; id++) insert.run(`Animal ${id}`, id % 5, statuses[id % 3] ?? "available");
  })();
}
