import type { ExportVisitor } from "../store.ts";
import { petTable } from "../tables.ts";
import { asReadError } from "./errors.ts";
import { newestMark } from "./events/events.ts";
import { readPage, sourceOf } from "./pages.ts";
import type { Connection } from "./servers/connection.ts";

/** All statements of the transaction see what was committed before the first of them. */
export async function exportPets(connection: Connection, { begin, take }: ExportVisitor): Promise<void> {
  const read = connection.transaction(async (query) => {
    await query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    begin(await newestMark(query));
    for (let after = 0; ; ) {
      const { items, next } = await readPage(query, sourceOf(petTable), [], { limit: lot, after });
      await take(items);
      if (next === undefined) return;
      after = Number(next);
    }
  });
  await read.catch((error: unknown) => {
    throw asReadError(error);
  });
}

/** Few, so that exports leave room between two of them for the requests of others, which take several turns each to write. */
const lot = 250;
