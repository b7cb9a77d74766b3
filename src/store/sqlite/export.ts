import type { ExportVisitor } from "../store.ts";
import { connectReader } from "./connect.ts";
import { EventReader } from "./events.ts";
import { petReader } from "./pets.ts";

/** A connection of its own, because its transaction lasts for as long as the visitor takes. Nobody waits for it. */
export async function exportPets(path: string, { begin, take }: ExportVisitor): Promise<void> {
  using database = connectReader(path);
  database.run("BEGIN");
  const pets = petReader(database);
  begin(new EventReader(database).ends()?.newest);
  for (let after = 0; ; ) {
    const { items, next } = pets.list([], { limit: lot, after });
    await take(items);
    if (next === undefined) return;
    after = Number(next);
  }
}

const lot = 1_000;
