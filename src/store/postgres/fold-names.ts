import { foldUnlessAscii } from "../../domain/folded-name.ts";
import { arrayOf, type Query } from "./query.ts";

/** Which names were written by a program that did not fold them yet, as an index has it. */
export const isUnfolded = "folded_name IS NULL AND octet_length(name) > char_length(name)";

/** Folds them, some at a time, so that the animals can be found by name. */
export async function foldNames(query: Query): Promise<void> {
  for (;;) {
    const rows = await query<{ id: string; name: string }>(
      `SELECT id, name FROM store.pets WHERE ${isUnfolded} ORDER BY id LIMIT ${rowsAtOnce}`,
    );
    if (rows.length === 0) return;
    const columns = [rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ name }) => folded(name))];
    await query(
      `UPDATE store.pets SET folded_name = new.folded_name
       FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (id, name, folded_name)
       WHERE pets.id = new.id AND pets.name = new.name`,
      columns.map((values, index) => arrayOf(values, index === 0 ? "INT8" : "TEXT")),
    );
  }
}

const rowsAtOnce = 1_000;

function folded(name: string): string {
  return foldUnlessAscii(name) ?? name;
}
