import type { ExportVisitor } from "../store.ts";
import { connectReader } from "./connect.ts";
import { EventReader } from "./events.ts";
import { petReader } from "./pets.ts";

/**
 * A connection of its own, because its transaction lasts for as long as the visitor takes. Nobody waits for it. Whatever it asks of
 * SQLite goes through `attempt`, which tells of what is wrong with the file.
 */
export async function exportPets(path: string, { begin, take }: ExportVisitor, attempt: Attempt): Promise<void> {
  using database = attempt(() => connectReader(path));
  const { pets, end } = attempt(() => {
    database.run("BEGIN");
    return { pets: petReader(database), end: new EventReader(database).ends()?.newest };
  });
  const read = (after: number) => attempt(() => pets.list([], { limit: lot, after }));
  // What cannot be read at all is told before anything begins.
  let page = read(0);
  begin(end);
  for (;;) {
    await take(page.items);
    if (page.next === undefined) return;
    page = read(Number(page.next));
  }
}

type Attempt = <Result>(read: () => Result) => Result;

const lot = 1_000;
