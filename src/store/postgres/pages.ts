import { type Int64, toInt64 } from "../../base/int64.ts";
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
  const filter = conditions.map(([column]) => column);
  const parameters: Parameter[] = conditions.map(([, value]) => String(value));
  const text = filter.includes("id") ? oneOf(filter, after, parameters) : walkOf(filter, after, parameters, limit);
  const rows = await query<Row>(
    `SELECT * FROM (SELECT ${columns} FROM ${table}${text}) AS page LIMIT $${parameters.push(limit + 1)}`,
    parameters,
  );
  return pageOf(rows.map(toItem), limit);
}

/** At most one row has the id. */
function oneOf(filter: readonly string[], after: Int64 | undefined, parameters: Parameter[]): string {
  const tests = filter.map((column, index) => `${column} = $${index + 1}`);
  if (after !== undefined) tests.push(`id > $${parameters.push(String(after))}`);
  return ` WHERE ${tests.join(" AND ")}`;
}

/**
 * A walk along the filter's index. The planner is left no other choice, whatever its statistics say:
 *
 * - Bounds and order are those of whole rows of that index. Given a column that equals a value, it would guess from the value's
 *   frequency that walking along the ids finds enough of them soon, though all may be at the other end.
 * - Each row is joined with the only row of a function that the planner expects to return a thousand. Any plan that sorts
 *   first then looks far more expensive than one that starts with the first row of the page.
 * - The limit that it plans for is a constant, so that one plan serves all pages and is kept.
 */
function walkOf(filter: readonly string[], after: Int64 | undefined, parameters: Parameter[], limit: number): string {
  const columns = [...filter, "id"].join(", ");
  const values = filter.map((_, index) => `$${index + 1}`);
  const tests: string[] = [];
  if (after !== undefined || filter.length > 0) {
    const start = `$${parameters.push(String(after ?? beforeFirst))}`;
    tests.push(`(${columns}) > (${[...values, start].join(", ")})`);
  }
  if (filter.length > 0) tests.push(`(${filter.join(", ")}) <= (${values.join(", ")})`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  return `, ${oneTakenForMany}${where} ORDER BY ${columns} LIMIT ${Math.max(limit, largestPage) + 1}`;
}

/** An item for a FROM clause: one row, where the planner expects a thousand. */
export const oneTakenForMany = "string_to_table('one', '') AS one_taken_for_many";

/** What has a filter has ids from 1 on. */
const beforeFirst = 0;
/** That a client can ask for. */
const largestPage = 100;

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
