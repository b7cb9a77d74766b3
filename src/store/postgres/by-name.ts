import type { ResourceFields, ValuesOf } from "../../domain/fields.ts";
import { endOfPrefix, foldName } from "../../domain/folded-name.ts";
import { type Page, type PageRequest, toPageByName } from "../../domain/page.ts";
import type { ResourceTable } from "../resource-table.ts";
import { getRowDecoder, maxPageSize, type Row } from "./pages.ts";
import { overestimatedRow, type Query } from "./query.ts";

export const foldedName = 'coalesce(folded_name, lower(name COLLATE "C"))';

/** Reads a page of items whose names start with a text. As in `walkIndex` of pages.ts, the planner can only walk along the index. */
export async function listByName<Fields extends ResourceFields>(
  query: Query,
  table: ResourceTable<Fields>,
  beginning: string,
  { limit, after, afterName }: PageRequest,
): Promise<Page<ValuesOf<Fields>>> {
  const prefix = foldName(beginning);
  const end = endOfPrefix(prefix);
  const within = end === undefined ? "" : ` AND ${foldedName} < $4`;
  const rows = await query<Row & { readonly foldedName: string }>(
    `SELECT * FROM (
       SELECT ${table.selected}, ${foldedName} AS "foldedName" FROM ${query.schema}.${table.name}, ${overestimatedRow}
       WHERE (${foldedName}, id) ${after === undefined ? ">=" : ">"} ($1, $2)${within} ORDER BY ${foldedName}, id LIMIT ${maxPageSize + 1}
     ) AS page LIMIT $3`,
    [afterName ?? prefix, String(after ?? minCategoryId), limit + 1, ...(end === undefined ? [] : [end])],
  );
  const toItem = getRowDecoder(table);
  const items = rows.map((row) => ({ item: toItem(row), foldedName: row.foldedName }));
  return toPageByName(items, limit);
}

const minCategoryId = -(2n ** 63n);
