import { type Int64, toInt64 } from "../../base/int64.ts";
import type { Field, ResourceFields, ValuesOf } from "../../domain/fields.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { type Conditions, isIdFilterWithList, isList } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";
import { overestimatedRow, type Query, toArray } from "./query.ts";

export type Row = Readonly<Record<string, string | null>>;

export function getRowDecoder<Fields extends ResourceFields>(
  table: ResourceTable<Fields>,
): (row: Row) => ValuesOf<Fields> & { readonly id: Int64 } {
  const decode = rowDecoders.get(table) ?? createRowDecoder(table);
  rowDecoders.set(table, decode);
  return decode as (row: Row) => ValuesOf<Fields> & { readonly id: Int64 };
}

const rowDecoders = new WeakMap<ResourceTable, (row: Row) => unknown>();

function createRowDecoder({ fields }: ResourceTable): (row: Row) => unknown {
  const decoders = Object.entries<Field>(fields).map(([field, { kind }]) => [field, valueDecoders[kind]] as const);
  return (row) => {
    const item: Record<string, unknown> = {};
    for (const [field, decode] of decoders) {
      const value = row[field] ?? null;
      item[field] = value === null || decode === undefined ? value : decode(value);
    }
    return item;
  };
}

const valueDecoders: Readonly<Partial<Record<Field["kind"], (digits: string) => Int64>>> = {
  id: Number,
  number: Number,
  time: Number,
  int64: parseDigits,
};

export async function readPage<Fields extends ResourceFields>(
  query: Query,
  table: ResourceTable<Fields>,
  conditions: Conditions,
  { limit, after, isDescending = false }: PageRequest,
): Promise<Page<ValuesOf<Fields>>> {
  const maxRows = Math.max(limit, maxPageSize) + 1;
  const isById = conditions.some(([column]) => column === "id");
  const beginning = isDescending ? afterLastId : beforeFirstId;
  const start = after ?? (conditions.length > 0 && !isById ? beginning : undefined);
  const hasStart = start !== undefined;
  let shape = `${query.schema}.${table.name} ${hasStart} ${isDescending} ${maxRows}`;
  for (const [column, value] of conditions) shape += ` ${column}${isList(value) ? "s" : ""}`;
  const text =
    pageStatements.get(shape) ??
    createPageStatement(query.schema, table, conditions, { isById, hasStart, isDescending, maxRows });
  pageStatements.set(shape, text);
  const isIdWithList = isIdFilterWithList(conditions);
  const values = conditions.map(([column, value]) =>
    isIdWithList || isList(value) ? toArray(column === "status" ? "TEXT" : "INT8", [value].flat()) : String(value),
  );
  const rows = await query<Row>(text, [...values, ...(hasStart ? [String(start)] : []), limit + 1]);
  return toPage(rows.map(getRowDecoder(table)), limit);
}

const beforeFirstId = 0;
const afterLastId = 2 ** 53;
export const maxPageSize = 100;

const pageStatements = new Map<string, string>();

interface PageShape {
  readonly isById: boolean;
  readonly hasStart: boolean;
  readonly isDescending: boolean;
  readonly maxRows: number;
}

function createPageStatement(
  schema: string,
  { name, selected }: ResourceTable,
  conditions: Conditions,
  shape: PageShape,
): string {
  const filter = conditions.map(([column]) => column);
  const isIdWithList = isIdFilterWithList(conditions);
  const unnested = isIdWithList ? filter.indexOf("id") : conditions.findIndex(([, value]) => isList(value));
  const values = filter.map((column, index) => (index === unnested ? `wanted.${column}` : `$${index + 1}`));
  const limit = `LIMIT $${filter.length + (shape.hasStart ? 2 : 1)}`;
  const from = `${schema}.${name}`;
  const rows = shape.isById
    ? from + lookUpById(filter, values, isIdWithList, shape)
    : walkIndex(from, filter, values, shape);
  const select = `SELECT ${selected} FROM ${rows}`;
  const one = isIdWithList ? `${select} LIMIT 1` : `SELECT * FROM (${select}) AS page ${limit}`;
  if (unnested < 0) return one;
  const wanted = `unnest($${unnested + 1}::${isIdWithList ? "bigint" : "text"}[]) AS wanted (${filter[unnested]})`;
  const order = `ORDER BY page.id${shape.isDescending ? " DESC" : ""} ${limit}`;
  return `SELECT page.* FROM ${wanted} CROSS JOIN LATERAL (${one}) AS page ${order}`;
}

function lookUpById(
  filter: readonly string[],
  values: readonly string[],
  isIdWithList: boolean,
  { hasStart, isDescending }: PageShape,
): string {
  const tests = filter.map((column, index) =>
    isIdWithList && column !== "id" ? `${column} = ANY($${index + 1})` : `${column} = ${values[index]}`,
  );
  if (hasStart) tests.push(`id ${isDescending ? "<" : ">"} $${filter.length + 1}`);
  return ` WHERE ${tests.join(" AND ")}`;
}

/**
 * Returns SQL that walks along the filter's index. The planner has no other choice, whatever its statistics say:
 * - The bound and the order compare all columns of the index at once. With `column = value`, the planner might expect a walk along the ids
 *   to soon find enough rows, though all matching rows may be at the other end.
 * - Each row is joined with `overestimatedRow`, so a plan that sorts looks too expensive.
 * - The limit that the planner sees is a constant, so one cached plan serves all pages.
 *
 * The walk ends with the value of the first column. Rows with another value of the second column follow the wanted ones, and are left out
 * after the limit: before PostgreSQL 18, a walk does not end at a row comparison whose second column differs.
 */
function walkIndex(
  from: string,
  filter: readonly string[],
  values: readonly string[],
  { hasStart, isDescending, maxRows }: PageShape,
): string {
  const [behind, within, direction] = isDescending ? ["<", ">=", " DESC"] : [">", "<=", ""];
  const columns = [...filter, "id"];
  const tests: string[] = [];
  if (hasStart) tests.push(`(${columns.join(", ")}) ${behind} (${[...values, `$${filter.length + 1}`].join(", ")})`);
  if (filter.length > 0) tests.push(`${filter[0]} ${within} ${values[0]}`);
  const where = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  const order = columns.map((column) => column + direction).join(", ");
  const walk = `${from} AS rows, ${overestimatedRow}${where} ORDER BY ${order} LIMIT ${maxRows}`;
  const others = filter.slice(1).map((column, index) => `${column} = ${values[index + 1]}`);
  return others.length === 0 ? walk : `(SELECT rows.* FROM ${walk}) AS walked WHERE ${others.join(" AND ")}`;
}

export async function readOne<Fields extends ResourceFields>(
  query: Query,
  table: ResourceTable<Fields>,
  id: Int64,
  lock: "lock" | "" = "",
): Promise<ValuesOf<Fields> | undefined> {
  const text = `SELECT ${table.selected} FROM ${query.schema}.${table.name} WHERE id = $1 ${lock && "FOR UPDATE"}`;
  const [row] = await query<Row>(text, [String(id)]);
  return row && getRowDecoder(table)(row);
}

export function parseDigits(digits: string): Int64 {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
