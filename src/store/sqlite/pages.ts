import type { Database, Statement } from "bun:sqlite";
import { type Int64, toInt64 } from "../../base/int64.ts";
import { toJson } from "../../base/json.ts";
import { namesOf } from "../../domain/fields.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { type Conditions, isIdFilterWithList, isList } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";

export class PageReader<Item extends { readonly id: Int64 }> {
  readonly table: string;
  readonly selected: string;
  readonly #statements = new Map<string, Statements<Item>>();
  readonly #byId: Statement<Item, [Int64]>;
  /** The fields whose values may exceed 2^53. */
  readonly #int64Fields: readonly (keyof Item)[];

  constructor(
    readonly database: Database,
    { name, selected, fields }: ResourceTable,
  ) {
    this.table = name;
    this.selected = selected;
    this.#int64Fields = namesOf(fields).filter((field) => fields[field]?.kind === "int64") as (keyof Item)[];
    this.#byId = database.prepare(`SELECT ${selected} FROM ${name} WHERE id = ?`);
  }

  list(conditions: Conditions, { limit, after, isDescending = false }: PageRequest): Page<Item> {
    const statements = this.#statementsFor(conditions, after !== undefined, isDescending);
    const values: Parameter[] = [];
    for (const combination of statements.looksUpIds ? [toJsonLists(conditions)] : listCombinations(conditions)) {
      for (const value of combination) values.push(value);
      if (after !== undefined) values.push(after);
    }
    values.push(limit + 1);
    return toPage(this.#read(statements, values), limit);
  }

  select<Row extends Item>(text: string, values: Parameter[]): Row[] {
    return this.#read(this.#statements.get(text) ?? this.#prepare(text, text, false), values) as Row[];
  }

  get(id: Int64): Item | undefined {
    const row = this.#byId.get(id);
    if (row === null) return undefined;
    return this.#isExact(row) ? row : this.#read(this.#statementsFor([["id", id]], false, false), [id, 1])[0];
  }

  #isExact(row: Item): boolean {
    for (const field of this.#int64Fields) if (row[field] !== null && !Number.isSafeInteger(row[field])) return false;
    return true;
  }

  /** Reads rows. Integers arrive as doubles; rows are read again as bigints only if an integer was rounded. */
  #read({ plain, exact }: Statements<Item>, values: Parameter[]): Item[] {
    const rows = plain.all(...values);
    let areExact = true;
    for (const row of rows) areExact &&= this.#isExact(row);
    if (areExact) return rows;
    const convert = (value: unknown) => (typeof value === "bigint" ? toInt64(value) : value);
    return exact.all(...values).map((row) => {
      const fields = Object.entries(row).map(([field, value]) => [field, convert(value)]);
      return Object.fromEntries(fields) as unknown as Item;
    });
  }

  #statementsFor(conditions: Conditions, hasAfter: boolean, isDescending: boolean): Statements<Item> {
    const looksUpIds = isIdFilterWithList(conditions);
    let name = (hasAfter ? ">" : "") + (isDescending ? "-" : "") + (looksUpIds ? "~" : "");
    // A list of ids is one parameter, whatever its length.
    for (const [column, value] of conditions)
      name += `${column}=${Array.isArray(value) && !looksUpIds ? value.length : ""}`;
    const existing = this.#statements.get(name);
    return existing ?? this.#prepare(name, this.#sqlFor(conditions, hasAfter, isDescending), looksUpIds);
  }

  #prepare(name: string, sql: string, looksUpIds: boolean): Statements<Item> {
    const statements = {
      looksUpIds,
      plain: this.database.prepare<Item, Parameter[]>(sql),
      exact: this.database.prepare<object, Parameter[]>(sql).safeIntegers(true),
    };
    this.#statements.set(name, statements);
    return statements;
  }

  /** Returns SQL that selects each combination of values separately, along the index. SQLite merges the rows while reading them. */
  #sqlFor(conditions: Conditions, hasAfter: boolean, isDescending: boolean): string {
    const columns = conditions.map(([column]) => column);
    const looksUpIds = isIdFilterWithList(conditions);
    const tests = columns.map((column) => `${column} ${looksUpIds ? "IN (SELECT value FROM json_each(?))" : "= ?"}`);
    if (hasAfter) tests.push(isDescending ? "id < ?" : "id > ?");
    const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : "";
    const select = `SELECT ${this.selected} FROM ${this.table} ${indexClause(this.table, columns)} ${where}`;
    const selects = looksUpIds ? [select] : listCombinations(conditions).map(() => select);
    return `${selects.join(" UNION ALL ")} ORDER BY id${isDescending ? " DESC" : ""} ${boundLimit}`;
  }
}

function toJsonLists(conditions: Conditions): string[] {
  return conditions.map(([, value]) => toJson(Array.isArray(value) ? value : [value]));
}

function listCombinations(conditions: Conditions): Parameter[][] {
  let combinations: Parameter[][] = [[]];
  for (const [, value] of conditions) {
    if (isList(value)) combinations = combinations.flatMap((values) => value.map((one) => [...values, one]));
    else for (const values of combinations) values.push(value);
  }
  return combinations;
}

/** If the limit were a bare parameter, SQLite would prepare the statement again at each use. */
export const boundLimit = "LIMIT ? + 0";

/** Names the index, because SQLite might choose a worse one. Without a filter, and for ids, the table itself is the index. */
function indexClause(table: string, columns: readonly string[]): string {
  if (columns.length === 0 || columns.includes("id")) return "NOT INDEXED";
  const nouns = columns.map((column) => column.replace(/_id$/, ""));
  return `INDEXED BY ${table}_by_${nouns.join("_and_")}`;
}

type Parameter = string | Int64;

interface Statements<Item> {
  readonly looksUpIds: boolean;
  readonly plain: Statement<Item, Parameter[]>;
  readonly exact: Statement<object, Parameter[]>;
}
