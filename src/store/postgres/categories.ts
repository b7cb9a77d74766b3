import type { Int64 } from "../../base/int64.ts";
import { type Category, noSuchCategory } from "../../domain/category.ts";
import { categoryNamed, categoryUnnamed } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import type { CategoryStore } from "../store.ts";
import { categoryTable } from "../tables.ts";
import { listByName } from "./by-name.ts";
import type { EventInbox } from "./events/event-inbox.ts";
import { readOne, readPage, sourceOf } from "./pages.ts";
import type { Query } from "./query.ts";
import { foldingOf } from "./schema/fold-names.ts";
import type { Perform } from "./work.ts";

export function categoryStore(read: Query, perform: Perform, inbox: EventInbox): CategoryStore {
  return {
    list: ({ name }, page) =>
      name === undefined ? readPage(read, categorySource, [], page) : listByName(read, categorySource, name, page),
    get: (id) => readOne(read, categorySource, id),
    put: ({ id, name }, expected) =>
      perform(async (query) => {
        const current = await lockCategory(query, id);
        requireExpected(current, expected);
        await inbox.run(
          query,
          `INSERT INTO store.categories (id, name, folded_name, folding)
           VALUES ($1, $2, $3, ${foldingOf("$2::text", "$3::text")}) ON CONFLICT (id)
           DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name, folding = excluded.folding`,
          [String(id), name, foldUnlessAscii(name)],
          categoryNamed(current, { id, name }),
        );
        return current === undefined;
      }),
    delete: (id, expected) =>
      perform(async (query) => {
        const current = await lockCategory(query, id);
        if (!current) throw noSuchCategory(id);
        requireExpected(current, expected);
        await inbox.run(query, "DELETE FROM store.categories WHERE id = $1", [String(id)], categoryUnnamed(current));
      }),
  };
}

/**
 * Locks the id and not the row, because there may be none yet. Version 1.0.0 locks it for all schemas: new programs share that
 * lock, so that it keeps out only those.
 */
async function lockCategory(query: Query, id: Int64): Promise<Category | undefined> {
  await query(
    `SELECT pg_advisory_xact_lock_shared(hashtext('categories'), hashtext($1)),
            pg_advisory_xact_lock(hashtext('store.categories'), hashtext($1))`,
    [String(id)],
  );
  return await readOne(query, categorySource, id);
}

export const categorySource = sourceOf(categoryTable);
