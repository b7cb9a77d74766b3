import { type Int64, toInt64 } from "../../base/int64.ts";
import type { Field, ResourceFields, ValuesOf } from "../../domain/fields.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import { type Conditions, hasSeveralIds, isList } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";
import { arrayOf, type Parameter, type Query } from "./query.ts";

/** How the rows of a table are read. */
export interface Source<Item> {
  readonly table: string;
  /** The select list, in which each column has the name of its field. */
  readonly columns: string;
  toItem(row: Row): Item;
  /** The statements for its pages, by what tells them apart: each is put together once, since there are few filters. */
  readonly statements: Map<string, Statement>;
}

/** A row as it arrives: 64-bit integers are digits. */
export type Row = Readonly<Record<string, string | null>>;

export function sourceOf<Fields extends ResourceFields>(table: ResourceTable<Fields>): Source<ValuesOf<Fields>> {
  const source = sources.get(table) ?? makeSource(table);
  sources.set(table, source);
  return source as Source<ValuesOf<Fields>>;
}

const sources = new WeakMap<object, Source<unknown>>();

function makeSource({ name, selected, fields }: ResourceTable): Source<unknown> {
  const decoders = Object.entries<Field>(fields).map(([field, { kind }]) => [field, decoderOf[kind]] as const);
  return {
    table: name,
    columns: selected,
    statements: new Map(),
    toItem(row) {
      const item: Record<string, unknown> = {};
      for (const [field, decode] of decoders) {
        const value = row[field] ?? null;
        item[field] = value === null || decode === undefined ? value : decode(value);
      }
      return item;
    },
  };
}

const decoderOf: Readonly<Partial<Record<Field["kind"], (digits: string) => Int64>>> = {
  id: Number,
  number: Number,
  time: Number,
  int64: fromDigits,
};

/** Reads a page in the order of the ids. */
export async function readPage<Item extends { readonly id: Int64 }>(
  query: Query,
  source: Source<Item>,
  conditions: Conditions,
  { limit, after, isDescending = false }: PageRequest,
): Promise<Page<Item>> {
  const maxRows = Math.max(limit, maxPageSize) + 1;
  let name = `${query.schema} ${after !== undefined} ${isDescending} ${maxRows}`;
  for (const [column, value] of conditions) name += ` ${column}${isList(value) ? "s" : ""}`;
  const statement =
    source.statements.get(name) ??
    makeStatement(query.schema, source, conditions, after !== undefined, isDescending, maxRows);
  source.statements.set(name, statement);
  const isAmong = hasSeveralIds(conditions);
  const parameters: Parameter[] = conditions.map(([column, value]) =>
    isAmong || isList(value) ? arrayOf([value].flat(), column === "status" ? "TEXT" : "INT8") : String(value),
  );
  if (statement.hasStart) parameters.push(String(after ?? (isDescending ? behindLast : beforeFirst)));
  parameters.push(limit + 1);
  return pageOf((await query<Row>(statement.text, parameters)).map(source.toItem), limit);
}

/** Tables that can be filtered have ids from 1 on. */
const beforeFirst = 0;
const behindLast = 2 ** 53;
/** The largest page that a client can request. */
export const maxPageSize = 100;

interface Statement {
  readonly text: string;
  /** True if the id after which the page begins is a parameter, between those of the filter and the limit. */
  readonly hasStart: boolean;
}

function makeStatement(
  schema: string,
  { table, columns }: Source<unknown>,
  conditions: Conditions,
  isAfter: boolean,
  isDescending: boolean,
  maxRows: number,
): Statement {
  const filter = conditions.map(([column]) => column);
  const isOne = filter.includes("id");
  const isAmong = hasSeveralIds(conditions);
  const hasStart = isAfter || (filter.length > 0 && !isOne);
  const limit = `LIMIT $${filter.length + (hasStart ? 2 : 1)}`;
  // With an id, at most one row is found, and then compared.
  const tests = filter.map((column, index) => {
    if (!isAmong) return `${column} = $${index + 1}`;
    return column === "id" ? "id = wanted.id" : `${column} = ANY($${index + 1})`;
  });
  if (isAfter) tests.push(`id ${isDescending ? "<" : ">"} $${filter.length + 1}`);
  const several = isAmong ? filter.indexOf("id") : conditions.findIndex(([, value]) => isList(value));
  const values = filter.map((column, index) => (index === several ? `wanted.${column}` : `$${index + 1}`));
  const rest = isOne ? ` WHERE ${tests.join(" AND ")}` : walkOf(filter, values, hasStart, isDescending, maxRows);
  const found = `SELECT ${columns} FROM ${schema}.${table}${rest}`;
  const walk = isAmong ? `${found} LIMIT 1` : `SELECT * FROM (${found}) AS page ${limit}`;
  if (several < 0) return { text: walk, hasStart };
  const wanted = `unnest($${several + 1}::${isAmong ? "bigint" : "text"}[]) AS wanted (${filter[several]})`;
  const order = `ORDER BY page.id${isDescending ? " DESC" : ""} ${limit}`;
  return { text: `SELECT page.* FROM ${wanted} CROSS JOIN LATERAL (${walk}) AS page ${order}`, hasStart };
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
  maxRows: number,
): string {
  const [behind, within, direction] = isDescending ? ["<", ">=", " DESC"] : [">", "<=", ""];
  const columns = [...filter, "id"].join(", ");
  const order = [...filter, "id"].map((column) => column + direction).join(", ");
  const tests: string[] = [];
  if (hasStart) tests.push(`(${columns}) ${behind} (${[...values, `$${filter.length + 1}`].join(", ")})`);
  if (filter.length > 0) tests.push(`(${filter.join(", ")}) ${within} (${values.join(", ")})`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  return `, ${oneTakenForMany}${where} ORDER BY ${order} LIMIT ${maxRows}`;
}

/** An item for a FROM clause: one row, where the planner expects a thousand. */
export const oneTakenForMany = "string_to_table('one', '') AS one_taken_for_many";

/** With `lock`, no other transaction changes the row before the end of this one. */
export async function readOne<Item>(
  query: Query,
  { table, columns, toItem }: Source<Item>,
  id: Int64,
  lock: "lock" | "" = "",
): Promise<Item | undefined> {
  const [row] = await query<Row>(
    `SELECT ${columns} FROM ${query.schema}.${table} WHERE id = $1 ${lock && "FOR UPDATE"}`,
    [String(id)],
  );
  return row && toItem(row);
}

/** 64-bit integers arrive as their digits. */
export function fromDigits(digits: string): Int64 {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
