import type { ExportVisitor } from "../store.ts";
import { petTable } from "../tables.ts";
import { toReadError } from "./errors.ts";
import { readNewestMark } from "./events/events.ts";
import { readPage } from "./pages.ts";
import { beginSnapshot } from "./query.ts";
import type { Connection } from "./servers/connection.ts";

export async function exportPets(connection: Connection, { onBegin, onPets }: ExportVisitor): Promise<void> {
  const read = connection.transaction(async (query) => {
    await query(beginSnapshot);
    onBegin(await readNewestMark(query));
    for (let after = 0; ; ) {
      const { items, next } = await readPage(query, petTable, [], { limit: pageSize, after });
      await onPets(items);
      if (next === undefined) return;
      after = Number(next);
    }
  });
  await read.catch((error: unknown) => {
    throw toReadError(error);
  });
}

const pageSize = 250;
