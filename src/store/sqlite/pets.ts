import type { Database, Statement } from "bun:sqlite";
import { type Int64, toInt64 } from "../../domain/int64.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { NewPet, Pet, PetFilter, PetStatus } from "../../domain/pet.ts";
import { columnsOf } from "../pet-filter.ts";

export class PetReader {
  readonly #statements = new Map<string, ListStatements>();

  constructor(readonly database: Database) {}

  list(filter: PetFilter, { limit, after }: PageRequest): Page<Pet> {
    const conditions = ["id > ?"];
    const values: Parameter[] = [after];
    for (const [column, value] of columnsOf(filter)) {
      conditions.push(`${column} = ?`);
      values.push(value);
    }
    // One more than asked for tells whether there is a next page.
    values.push(limit + 1);
    const rows = this.#read(conditions.join(" AND "), values);
    if (rows.length <= limit) return { items: rows };
    rows.pop();
    return { items: rows, next: rows.at(-1)?.id };
  }

  get(id: Int64): Pet | undefined {
    return this.list({ id }, { limit: 1, after: 0 }).items[0];
  }

  #read(condition: string, values: Parameter[]): Pet[] {
    const { plain, exact } = this.#prepare(condition);
    const rows = plain.all(...values);
    // SQLite's integers arrive as doubles; only where one of them was rounded is it worth reading them as bigints.
    if (rows.every((row) => Number.isSafeInteger(row.categoryId))) return rows;
    return exact
      .all(...values)
      .map(({ id, name, categoryId, status }) => ({ id: Number(id), name, categoryId: toInt64(categoryId), status }));
  }

  #prepare(condition: string): ListStatements {
    let statements = this.#statements.get(condition);
    if (!statements) {
      const sql = `SELECT id, name, category_id AS categoryId, status FROM pets WHERE ${condition} ORDER BY id LIMIT ?`;
      statements = {
        plain: this.database.prepare<Pet, Parameter[]>(sql),
        exact: this.database.prepare<ExactRow, Parameter[]>(sql).safeIntegers(true),
      };
      this.#statements.set(condition, statements);
    }
    return statements;
  }
}

export function preparePetWrites(database: Database) {
  const insert = database.prepare<{ id: number }, [string, Int64, PetStatus]>(
    "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id",
  );
  return {
    createPet({ name, categoryId, status }: NewPet): Pet {
      const row = insert.get(name, categoryId, status);
      if (!row) throw new Error("An insert returned no id.");
      return { id: row.id, name, categoryId, status };
    },
  };
}

type Parameter = string | Int64;

interface ListStatements {
  readonly plain: Statement<Pet, Parameter[]>;
  readonly exact: Statement<ExactRow, Parameter[]>;
}

interface ExactRow {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}
