import type { Int64 } from "../../base/int64.ts";
import { endOfPrefix, foldName } from "../../domain/folded-name.ts";
import { type Page, type PageRequest, pageByName } from "../../domain/page.ts";
import { maxPageSize, oneTakenForMany, type Row, type Source } from "./pages.ts";
import type { Query } from "./query.ts";

/** The expression of the index. */
export const foldedName = 'coalesce(folded_name, lower(name COLLATE "C"))';

/** Reads a page of items whose names have a prefix, by folded name and id. The planner is led as for other lists. */
export async function listByName<Item extends { readonly id: Int64 }>(
  query: Query,
  { table, columns, toItem }: Source<Item>,
  beginning: string,
  { limit, after, afterName }: PageRequest,
): Promise<Page<Item>> {
  const prefix = foldName(beginning);
  const end = endOfPrefix(prefix);
  const within = end === undefined ? "" : ` AND ${foldedName} < $4`;
  const rows = await query<Row & { readonly foldedName: string }>(
    `SELECT * FROM (
       SELECT ${columns}, ${foldedName} AS "foldedName" FROM ${query.schema}.${table}, ${oneTakenForMany}
       WHERE (${foldedName}, id) ${after === undefined ? ">=" : ">"} ($1, $2)${within} ORDER BY ${foldedName}, id LIMIT ${maxPageSize + 1}
     ) AS page LIMIT $3`,
    [afterName ?? prefix, String(after ?? minId), limit + 1, ...(end === undefined ? [] : [end])],
  );
  return pageByName(
    rows.map((row) => ({ item: toItem(row), foldedName: row.foldedName })),
    limit,
  );
}

/** The smallest id of a category. */
const minId = -(2n ** 63n);
