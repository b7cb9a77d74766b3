import { type Int64, toInt64 } from "../../base/int64.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import type { Conditions } from "../filter.ts";
import type { Parameter, Query } from "./query.ts";

/** A table whose rows are items with an id. */
export interface Source<Row, Item extends { readonly id: Int64 }> {
  readonly table: string;
  readonly columns: string;
  toItem(row: Row): Item;
}

/** A page, by id. */
export async function readPage<Row, Item extends { readonly id: Int64 }>(
  query: Query,
  source: Source<Row, Item>,
  conditions: Conditions,
  { limit, after, isDescending = false }: PageRequest,
): Promise<Page<Item>> {
  const filter = conditions.map(([column]) => column);
  const mostRows = Math.max(limit, largestPage) + 1;
  const { text, hasStart } = statementOf(source, filter, after !== undefined, isDescending, mostRows);
  const parameters: Parameter[] = conditions.map(([, value]) => String(value));
  if (hasStart) parameters.push(String(after ?? (isDescending ? behindLast : beforeFirst)));
  parameters.push(limit + 1);
  return pageOf((await query<Row>(text, parameters)).map(source.toItem), limit);
}

/** What has a filter has ids from 1 on. */
const beforeFirst = 0;
const behindLast = 2 ** 53;
/** That a client can ask for. */
const largestPage = 100;

interface Statement {
  readonly text: string;
  /** Whether the id after which the page begins is a parameter, between those of the filter and the limit. */
  readonly hasStart: boolean;
}

/** Each is put together once: there are few filters. */
function statementOf(
  source: AnySource,
  filter: readonly string[],
  isAfter: boolean,
  isDescending: boolean,
  mostRows: number,
): Statement {
  const known = statements.get(source) ?? new Map<string, Statement>();
  statements.set(source, known);
  const name = `${filter.join()} ${isAfter} ${isDescending} ${mostRows}`;
  const statement = known.get(name) ?? makeStatement(source, filter, isAfter, isDescending, mostRows);
  known.set(name, statement);
  return statement;
}

type AnySource = Pick<Source<never, { readonly id: Int64 }>, "table" | "columns">;

const statements = new WeakMap<AnySource, Map<string, Statement>>();

function makeStatement(
  { table, columns }: AnySource,
  filter: readonly string[],
  isAfter: boolean,
  isDescending: boolean,
  mostRows: number,
): Statement {
  const isOne = filter.includes("id");
  const hasStart = isAfter || (filter.length > 0 && !isOne);
  const rest = isOne ? oneOf(filter, isAfter, isDescending) : walkOf(filter, hasStart, isDescending, mostRows);
  const limit = `$${filter.length + (hasStart ? 2 : 1)}`;
  return { text: `SELECT * FROM (SELECT ${columns} FROM ${table}${rest}) AS page LIMIT ${limit}`, hasStart };
}

/** At most one row has the id. */
function oneOf(filter: readonly string[], isAfter: boolean, isDescending: boolean): string {
  const tests = filter.map((column, index) => `${column} = $${index + 1}`);
  if (isAfter) tests.push(`id ${isDescending ? "<" : ">"} $${filter.length + 1}`);
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
function walkOf(filter: readonly string[], hasStart: boolean, isDescending: boolean, mostRows: number): string {
  const [behind, within, direction] = isDescending ? ["<", ">=", " DESC"] : [">", "<=", ""];
  const columns = [...filter, "id"].join(", ");
  const order = [...filter, "id"].map((column) => column + direction).join(", ");
  const values = filter.map((_, index) => `$${index + 1}`);
  const tests: string[] = [];
  if (hasStart) tests.push(`(${columns}) ${behind} (${[...values, `$${filter.length + 1}`].join(", ")})`);
  if (filter.length > 0) tests.push(`(${filter.join(", ")}) ${within} (${values.join(", ")})`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  return `, ${oneTakenForMany}${where} ORDER BY ${order} LIMIT ${mostRows}`;
}

/** An item for a FROM clause: one row, where the planner expects a thousand. */
export const oneTakenForMany = "string_to_table('one', '') AS one_taken_for_many";

/** With `lock`, no other transaction changes the row before the end of this one. */
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
