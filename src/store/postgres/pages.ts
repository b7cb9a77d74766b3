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
  const tests = conditions.map(([column], index) => `${column} = $${index + 1}`);
  if (after !== undefined) tests.push(`id > $${parameters.push(String(after))}`);
  const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : "";
  const rows = await query<Row>(
    `SELECT ${columns} FROM ${table} ${where} ORDER BY id LIMIT $${parameters.push(limit + 1)}`,
    parameters,
  );
  return pageOf(rows.map(toItem), limit);
}

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

/** Integers of 64 bits arrive as their digits. */
export function fromDigits(digits: string): Int64 {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
