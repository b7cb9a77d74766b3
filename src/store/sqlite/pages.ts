import type { Database, Statement } from "bun:sqlite";
import { type Int64, toInt64 } from "../../base/int64.ts";
import { toJson } from "../../base/json.ts";
import { namesOf } from "../../domain/fields.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import { type Conditions, hasSeveralIds, isList } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";

/** Reads the items of one table, one by one or in pages by id. */
export class PageReader<Item extends { readonly id: Int64 }> {
  readonly #statements = new Map<string, Statements<Item>>();
  readonly #one: Statement<Item, [Int64]>;

  readonly table: string;
  readonly columns: string;
  /** The fields whose values may be beyond 2^53. */
  readonly #wide: readonly (keyof Item)[];

  constructor(
    readonly database: Database,
    { name, selected, fields }: ResourceTable,
  ) {
    this.table = name;
    this.columns = selected;
    this.#wide = namesOf(fields).filter((field) => fields[field]?.kind === "int64") as (keyof Item)[];
    this.#one = database.prepare(`SELECT ${selected} FROM ${name} WHERE id = ?`);
  }

  list(conditions: Conditions, { limit, after, isDescending = false }: PageRequest): Page<Item> {
    const statements = this.#statementsFor(conditions, after !== undefined, isDescending);
    const values: Parameter[] = [];
    for (const way of statements.isChoice ? [chosen(conditions)] : waysAlong(conditions)) {
      for (const value of way) values.push(value);
      if (after !== undefined) values.push(after);
    }
    values.push(limit + 1);
    return pageOf(this.#read(statements, values), limit);
  }

  /** Runs a statement that selects the columns, and perhaps more. */
  select<Row extends Item>(text: string, values: Parameter[]): Row[] {
    return this.#read(this.#statements.get(text) ?? this.#prepare(text, text, false), values) as Row[];
  }

  get(id: Int64): Item | undefined {
    const row = this.#one.get(id);
    if (row === null) return undefined;
    return this.#isExact(row) ? row : this.#read(this.#statementsFor([["id", id]], false, false), [id, 1])[0];
  }

  #areExact(rows: readonly Item[]): boolean {
    for (const row of rows) if (!this.#isExact(row)) return false;
    return true;
  }

  /** SQLite's integers arrive as doubles; rows are read again as bigints only if one of them was rounded. */
  #isExact(row: Item): boolean {
    for (const field of this.#wide) if (row[field] !== null && !Number.isSafeInteger(row[field])) return false;
    return true;
  }

  #read({ plain, exact }: Statements<Item>, values: Parameter[]): Item[] {
    const rows = plain.all(...values);
    if (this.#areExact(rows)) return rows;
    return exact
      .all(...values)
      .map(
        (row) =>
          Object.fromEntries(
            Object.entries(row).map(([field, value]) => [field, typeof value === "bigint" ? toInt64(value) : value]),
          ) as unknown as Item,
      );
  }

  #statementsFor(conditions: Conditions, isBehind: boolean, isDescending: boolean): Statements<Item> {
    const isAmong = hasSeveralIds(conditions);
    let name = (isBehind ? ">" : "") + (isDescending ? "-" : "") + (isAmong ? "~" : "");
    // However many ids there are, they are one parameter.
    for (const [column, value] of conditions)
      name += `${column}=${Array.isArray(value) && !isAmong ? value.length : ""}`;
    const known = this.#statements.get(name);
    return known ?? this.#prepare(name, this.#textFor(conditions, isBehind, isDescending), isAmong);
  }

  #prepare(name: string, sql: string, isChoice: boolean): Statements<Item> {
    const statements = {
      isChoice,
      plain: this.database.prepare<Item, Parameter[]>(sql),
      exact: this.database.prepare<object, Parameter[]>(sql).safeIntegers(true),
    };
    this.#statements.set(name, statements);
    return statements;
  }

  /** Where a column may have several values, there is a walk for each of them, and SQLite merges these as it goes along. */
  #textFor(conditions: Conditions, isBehind: boolean, isDescending: boolean): string {
    const columns = conditions.map(([column]) => column);
    const isAmong = hasSeveralIds(conditions);
    const tests = columns.map((column) => `${column} ${isAmong ? "IN (SELECT value FROM json_each(?))" : "= ?"}`);
    if (isBehind) tests.push(isDescending ? "id < ?" : "id > ?");
    const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : "";
    const walk = `SELECT ${this.columns} FROM ${this.table} ${wayTo(this.table, columns)} ${where}`;
    const walks = isAmong ? [walk] : waysAlong(conditions).map(() => walk);
    return `${walks.join(" UNION ALL ")} ORDER BY id${isDescending ? " DESC" : ""} ${boundLimit}`;
  }
}

function chosen(conditions: Conditions): string[] {
  return conditions.map(([, value]) => toJson(Array.isArray(value) ? value : [value]));
}

/** Returns the values of every combination. */
function waysAlong(conditions: Conditions): Parameter[][] {
  let ways: Parameter[][] = [[]];
  for (const [, value] of conditions) {
    if (isList(value)) ways = ways.flatMap((way) => value.map((one) => [...way, one]));
    else for (const way of ways) way.push(value);
  }
  return ways;
}

/** An expression, because SQLite prepares a statement again at each use if its limit is a bare parameter. */
export const boundLimit = "LIMIT ? + 0";

/**
 * The filter's index is named, because SQLite would choose one by its statistics, or by assumptions where it has none, and
 * then walk through everything that has the status in search of the category. Without a filter, and for one id, the table
 * itself is the index.
 */
function wayTo(table: string, columns: readonly string[]): string {
  if (columns.length === 0 || columns.includes("id")) return "NOT INDEXED";
  const nouns = columns.map((column) => column.replace(/_id$/, ""));
  return `INDEXED BY ${table}_by_${nouns.join("_and_")}`;
}

type Parameter = string | Int64;

interface Statements<Item> {
  readonly isChoice: boolean;
  readonly plain: Statement<Item, Parameter[]>;
  readonly exact: Statement<object, Parameter[]>;
}
