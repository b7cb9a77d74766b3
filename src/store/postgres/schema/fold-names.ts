import { foldName } from "../../../domain/folded-name.ts";
import { type Query, toColumns } from "../query.ts";

/** Returns SQL for the column `folding`: a checksum of the name and the folded name, which programs before schema version 11 do not set. */
export function foldingOf(name: string, folded: string): string {
  return `hashtext(${name} || ${folded})`;
}

/** SQL condition for rows whose names an earlier program has written, as in the partial indexes of these rows. */
export const outdatedFoldingCondition = `octet_length(name) > char_length(name) AND folding IS DISTINCT FROM ${foldingOf("name", "coalesce(folded_name, '')")}`;

export async function foldNames(query: Query, table: NamedTable): Promise<void> {
  for (;;) {
    const rows = await query<{ id: string; name: string }>(
      `SELECT id, name FROM ${query.schema}.${table} WHERE ${outdatedFoldingCondition} ORDER BY id LIMIT ${maxRowsAtOnce}`,
    );
    if (rows.length === 0) return;
    const folded = rows.map(({ id, name }) => [id, name, foldName(name)]);
    await query(
      `UPDATE ${query.schema}.${table} SET folded_name = new.folded_name, folding = ${foldingOf("new.name", "new.folded_name")}
       FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (id, name, folded_name)
       WHERE ${table}.id = new.id AND ${table}.name = new.name`,
      toColumns(["INT8", "TEXT", "TEXT"], folded),
    );
  }
}

export function hasNames(table: { readonly name: string }): table is { readonly name: NamedTable } {
  return table.name === "pets" || table.name === "categories";
}

type NamedTable = "pets" | "categories";

const maxRowsAtOnce = 1_000;
