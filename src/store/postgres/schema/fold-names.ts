import type { Int64 } from "../../../base/int64.ts";
import { foldUnlessAscii } from "../../../domain/folded-name.ts";
import { arrayOf, type Query } from "../query.ts";

/** Which names were written by a program that did not fold them yet, as an index has it. */
export const isUnfolded = "folded_name IS NULL AND octet_length(name) > char_length(name)";

/** Folds them, some at a time, so that what has them can be found by name. */
export async function foldNames(query: Query, table: NamedTable): Promise<void> {
  for (;;) {
    const rows = await query<{ id: string; name: string }>(
      `SELECT id, name FROM store.${table} WHERE ${isUnfolded} ORDER BY id LIMIT ${rowsAtOnce}`,
    );
    if (rows.length === 0) return;
    const columns = [rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ name }) => folded(name))];
    await query(
      `UPDATE store.${table} SET folded_name = new.folded_name
       FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (id, name, folded_name)
       WHERE ${table}.id = new.id AND ${table}.name = new.name`,
      columns.map((values, index) => arrayOf(values, index === 0 ? "INT8" : "TEXT")),
    );
  }
}

/**
 * After a program that folds has changed a name: to the trigger that forgets what others did not fold, a new name that is
 * folded like the old one looks like theirs.
 */
export async function keepFolded(
  query: Query,
  table: NamedTable,
  id: Int64,
  before: string | undefined,
  after: string,
): Promise<void> {
  const folded = foldUnlessAscii(after);
  if (folded === null || before === undefined || after === before || folded !== foldUnlessAscii(before)) return;
  await query(`UPDATE store.${table} SET folded_name = $2 WHERE id = $1`, [String(id), folded]);
}

/** The tables in which names are looked for. */
export type NamedTable = "pets" | "categories";

const rowsAtOnce = 1_000;

function folded(name: string): string {
  return foldUnlessAscii(name) ?? name;
}
