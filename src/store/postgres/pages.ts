import { type Int64, toInt64 } from "../../base/int64.ts";
import type { Field, ResourceFields, ValuesOf } from "../../domain/fields.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import type { Conditions } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";
import { type ArrayParameter, arrayOf, type Parameter, type Query } from "./query.ts";

/** A table whose rows are items with an id. */
export interface Source<Item extends { readonly id: Int64 }> {
  readonly table: string;
  /** The select list, in which each column has the name of its field. */
  readonly columns: string;
  toItem(row: Row): Item;
}

/** A row as it arrives: 64-bit integers are digits. */
export type Row = Readonly<Record<string, string | null>>;

export function sourceOf<Fields extends ResourceFields & { readonly id: Field }>({
  name,
  selected,
  fields,
}: ResourceTable<Fields>): Source<ValuesOf<Fields> & { readonly id: Int64 }> {
  const decoders = Object.entries<Field>(fields).map(([field, { kind }]) => [field, decoderOf[kind]] as const);
  return {
    table: `store.${name}`,
    columns: selected,
    toItem(row) {
      const item: Record<string, unknown> = {};
      for (const [field, decode] of decoders) {
        const value = row[field] ?? null;
        item[field] = value === null || decode === undefined ? value : decode(value);
      }
      return item as ValuesOf<Fields> & { readonly id: Int64 };
    },
  };
}

const decoderOf: Readonly<Partial<Record<Field["kind"], (digits: string) => Int64>>> = {
  id: Number,
  number: Number,
  time: Number,
  int64: fromDigits,
};

/** A page, by id. */
export async function readPage<Item extends { readonly id: Int64 }>(
  query: Query,
  source: Source<Item>,
  conditions: Conditions,
  { limit, after, isDescending = false }: PageRequest,
): Promise<Page<Item>> {
  const mostRows = Math.max(limit, largestPage) + 1;
  const { text, hasStart } = statementOf(source, conditions, after !== undefined, isDescending, mostRows);
  const isAmong = isChoice(conditions);
  const parameters: Parameter[] = conditions.map(([column, value]) =>
    isAmong || isSeveral(value) ? arrayOf([value].flat(), arrayTypeOf(column)) : String(value),
  );
  if (hasStart) parameters.push(String(after ?? (isDescending ? behindLast : beforeFirst)));
  parameters.push(limit + 1);
  return pageOf((await query<Row>(text, parameters)).map(source.toItem), limit);
}

/** What has a filter has ids from 1 on. */
const beforeFirst = 0;
const behindLast = 2 ** 53;
/** That a client can ask for. */
export const largestPage = 100;

interface Statement {
  readonly text: string;
  /** Whether the id after which the page begins is a parameter, between those of the filter and the limit. */
  readonly hasStart: boolean;
}

/** Each is put together once: there are few filters. */
function statementOf(
  source: AnySource,
  conditions: Conditions,
  isAfter: boolean,
  isDescending: boolean,
  mostRows: number,
): Statement {
  const known = statements.get(source) ?? new Map<string, Statement>();
  statements.set(source, known);
  let name = `${isAfter} ${isDescending} ${mostRows}`;
  for (const [column, value] of conditions) name += ` ${column}${isSeveral(value) ? "s" : ""}`;
  const statement = known.get(name) ?? makeStatement(source, conditions, isAfter, isDescending, mostRows);
  known.set(name, statement);
  return statement;
}

type AnySource = Pick<Source<{ readonly id: Int64 }>, "table" | "columns">;

const statements = new WeakMap<AnySource, Map<string, Statement>>();

function makeStatement(
  { table, columns }: AnySource,
  conditions: Conditions,
  isAfter: boolean,
  isDescending: boolean,
  mostRows: number,
): Statement {
  const filter = conditions.map(([column]) => column);
  const isOne = filter.includes("id");
  const hasStart = isAfter || (filter.length > 0 && !isOne);
  const limit = `LIMIT $${filter.length + (hasStart ? 2 : 1)}`;
  const order = `ORDER BY page.id${isDescending ? " DESC" : ""} ${limit}`;
  if (isChoice(conditions)) {
    const found = `SELECT ${columns} FROM ${table}${amongOf(filter, isAfter, isDescending)} LIMIT 1`;
    const wanted = `unnest($${filter.indexOf("id") + 1}::bigint[]) AS wanted (id)`;
    return { text: `SELECT page.* FROM ${wanted} CROSS JOIN LATERAL (${found}) AS page ${order}`, hasStart };
  }
  const several = conditions.findIndex(([, value]) => isSeveral(value));
  const values = filter.map((column, index) => (index === several ? `wanted.${column}` : `$${index + 1}`));
  const rest = isOne ? oneOf(filter, isAfter, isDescending) : walkOf(filter, values, hasStart, isDescending, mostRows);
  const walk = `SELECT * FROM (SELECT ${columns} FROM ${table}${rest}) AS page ${limit}`;
  if (several < 0) return { text: walk, hasStart };
  const wanted = `unnest($${several + 1}::text[]) AS wanted (${filter[several]})`;
  return { text: `SELECT page.* FROM ${wanted} CROSS JOIN LATERAL (${walk}) AS page ${order}`, hasStart };
}

/** Whether ids are given, and with them or among them a choice: each id is then looked up, and what is found compared. */
function isChoice(conditions: Conditions): boolean {
  return conditions.some(([column]) => column === "id") && conditions.some(([, value]) => isSeveral(value));
}

function isSeveral(value: Conditions[number][1]): value is readonly (Int64 | string)[] {
  return Array.isArray(value);
}

function arrayTypeOf(column: string): ArrayParameter["type"] {
  return column === "status" ? "TEXT" : "INT8";
}

/** At most one row has the id. */
function oneOf(filter: readonly string[], isAfter: boolean, isDescending: boolean): string {
  const tests = filter.map((column, index) => `${column} = $${index + 1}`);
  if (isAfter) tests.push(`id ${isDescending ? "<" : ">"} $${filter.length + 1}`);
  return ` WHERE ${tests.join(" AND ")}`;
}

/** The row of one of the wanted ids, if it has one of each other column's values. */
function amongOf(filter: readonly string[], isAfter: boolean, isDescending: boolean): string {
  const tests = filter.map((column, index) => (column === "id" ? "id = wanted.id" : `${column} = ANY($${index + 1})`));
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
 *
 * Where a column may have several values, there is such a walk for each of them, and what they find is merged.
 */
function walkOf(
  filter: readonly string[],
  values: readonly string[],
  hasStart: boolean,
  isDescending: boolean,
  mostRows: number,
): string {
  const [behind, within, direction] = isDescending ? ["<", ">=", " DESC"] : [">", "<=", ""];
  const columns = [...filter, "id"].join(", ");
  const order = [...filter, "id"].map((column) => column + direction).join(", ");
  const tests: string[] = [];
  if (hasStart) tests.push(`(${columns}) ${behind} (${[...values, `$${filter.length + 1}`].join(", ")})`);
  if (filter.length > 0) tests.push(`(${filter.join(", ")}) ${within} (${values.join(", ")})`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  return `, ${oneTakenForMany}${where} ORDER BY ${order} LIMIT ${mostRows}`;
}

/** An item for a FROM clause: one row, where the planner expects a thousand. */
export const oneTakenForMany = "string_to_table('one', '') AS one_taken_for_many";

/** With `lock`, no other transaction changes the row before the end of this one. */
export async function readOne<Item extends { readonly id: Int64 }>(
  query: Query,
  { table, columns, toItem }: Source<Item>,
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
