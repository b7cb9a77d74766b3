import type { Database, Statement } from "bun:sqlite";
import { type Int64, toInt64 } from "../../domain/int64.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import type { Conditions } from "../filter.ts";

/** Reads the items of one table, one by one or in pages that ascend by id. */
export class PageReader<Item extends { readonly id: Int64 }> {
  readonly #statements = new Map<string, Statements<Item>>();
  readonly #one: Statement<Item, [Int64]>;

  /** `columns` gives each column the name of the item's field; `wide` is the field that may be beyond 2^53, if there is one. */
  constructor(
    readonly database: Database,
    readonly table: string,
    readonly columns: string,
    readonly wide?: keyof Item,
  ) {
    this.#one = database.prepare(`SELECT ${columns} FROM ${table} WHERE id = ?`);
  }

  list(conditions: Conditions, { limit, after }: PageRequest): Page<Item> {
    const tests = conditions.map(([column]) => `${column} = ?`);
    const values = conditions.map(([, value]) => value);
    if (after !== undefined) {
      tests.push("id > ?");
      values.push(after);
    }
    return pageOf(this.#read(tests.join(" AND "), [...values, limit + 1]), limit);
  }

  get(id: Int64): Item | undefined {
    const row = this.#one.get(id);
    if (row === null) return undefined;
    return this.#isExact(row) ? row : this.#read("id = ?", [id, 1])[0];
  }

  /** SQLite's integers arrive as doubles; only where one of them was rounded is it worth reading them as bigints. */
  #isExact(row: Item): boolean {
    return this.wide === undefined || Number.isSafeInteger(row[this.wide]);
  }

  #read(condition: string, values: Parameter[]): Item[] {
    const { plain, exact } = this.#prepare(condition);
    const rows = plain.all(...values);
    if (rows.every((row) => this.#isExact(row))) return rows;
    return exact
      .all(...values)
      .map(
        (row) =>
          Object.fromEntries(
            Object.entries(row).map(([field, value]) => [field, typeof value === "bigint" ? toInt64(value) : value]),
          ) as unknown as Item,
      );
  }

  #prepare(condition: string): Statements<Item> {
    let statements = this.#statements.get(condition);
    if (!statements) {
      const where = condition && `WHERE ${condition}`;
      const sql = `SELECT ${this.columns} FROM ${this.table} ${where} ORDER BY id LIMIT ?`;
      statements = {
        plain: this.database.prepare<Item, Parameter[]>(sql),
        exact: this.database.prepare<object, Parameter[]>(sql).safeIntegers(true),
      };
      this.#statements.set(condition, statements);
    }
    return statements;
  }
}

type Parameter = string | Int64;

interface Statements<Item> {
  readonly plain: Statement<Item, Parameter[]>;
  readonly exact: Statement<object, Parameter[]>;
}
