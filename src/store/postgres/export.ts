import type { ExportVisitor } from "../store.ts";
import { petTable } from "../tables.ts";
import { asReadError } from "./errors.ts";
import { newestMark } from "./events/events.ts";
import { readPage, sourceOf } from "./pages.ts";
import type { Connection } from "./servers/connection.ts";

/** All statements of the transaction see what was committed before the first of them. */
export async function exportPets(
  connection: Connection,
  { onBegin: begin, onPets: take }: ExportVisitor,
): Promise<void> {
  const read = connection.transaction(async (query) => {
    await query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    begin(await newestMark(query));
    for (let after = 0; ; ) {
      const { items, next } = await readPage(query, sourceOf(petTable), [], { limit: pageSize, after });
      await take(items);
      if (next === undefined) return;
      after = Number(next);
    }
  });
  await read.catch((error: unknown) => {
    throw asReadError(error);
  });
}

/** Few, so that other requests are answered between two pages of an export. */
const pageSize = 250;
