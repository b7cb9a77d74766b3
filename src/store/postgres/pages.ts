import { type Int64, toInt64 } from "../../domain/int64.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import type { Conditions } from "../filter.ts";
import type { Parameter, Query } from "./connection.ts";

/** A table whose rows are items with an id. */
export interface Source<Row, Item extends { readonly id: Int64 }> {
  readonly table: string;
  readonly columns: string;
  toItem(row: Row): Item;
}

/** A page that ascends by id. */
export async function readPage<Row, Item extends { readonly id: Int64 }>(
  query: Query,
  { table, columns, toItem }: Source<Row, Item>,
  conditions: Conditions,
  { limit, after }: PageRequest,
): Promise<Page<Item>> {
  const parameters: Parameter[] = conditions.map(([, value]) => String(value));
  const walk = walkOf(
    conditions.map(([column]) => column),
    after,
    parameters,
  );
  const rows = await query<Row>(
    `SELECT ${columns} FROM ${table} ${walk} LIMIT $${parameters.push(limit + 1)}`,
    parameters,
  );
  return pageOf(rows.map(toItem), limit);
}

/**
 * A walk along the index of the filter. Bounds of whole rows are all that the planner is given: of columns that equal a value
 * it would guess, from how frequent the value is, that walking along the ids finds enough of them soon, which is wrong by
 * seconds where all of them are at the other end.
 */
function walkOf(filter: readonly string[], after: Int64 | undefined, parameters: Parameter[]): string {
  const values = filter.map((_, index) => `$${index + 1}`).join(", ");
  if (filter.includes("id")) {
    const tests = filter.map((column, index) => `${column} = $${index + 1}`);
    if (after !== undefined) tests.push(`id > $${parameters.push(String(after))}`);
    return `WHERE ${tests.join(" AND ")} ORDER BY id`;
  }
  if (filter.length === 0)
    return `${after === undefined ? "" : `WHERE id > $${parameters.push(String(after))}`} ORDER BY id`;
  const columns = filter.join(", ");
  const start = `(${columns}, id) > (${values}, $${parameters.push(String(after ?? beforeFirst))})`;
  return `WHERE ${start} AND (${columns}) <= (${values}) ORDER BY ${columns}, id`;
}

/** What has a filter has ids from 1 on. */
const beforeFirst = 0;

/** With `lock`, nobody else changes the row before the end of the transaction. */
export async function readOne<Row, Item extends { readonly id: Int64 }>(
  query: Query,
  { table, columns, toItem }: Source<Row, Item>,
  id: Int64,
  lock: "lock" | "" = "",
): Promise<Item | undefined> {
  const [row] = await query<Row>(`SELECT ${columns} FROM ${table} WHERE id = $1 ${lock && "FOR UPDATE"}`, [String(id)]);
  return row && toItem(row);
}

/** 64-bit integers arrive as their digits. */
export function fromDigits(digits: string): Int64 {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
