import type { Query } from "../query.ts";

/**
 * The last number that a column has given; null if it has given none, or to a user who may not see it: newer servers tell such a
 * user nothing by themselves, older ones refuse the whole statement.
 */
export function lastGiven(table: string, column: string): string {
  return `CASE WHEN ${maySee(table, column)} THEN pg_sequence_last_value(${sequenceOf(table, column)}) END`;
}

/** The last id that a table has given: 0 before the first, and undefined if the user may not see it. */
export async function lastIdGiven(query: Query, table: string): Promise<number | undefined> {
  const [row] = await query<{ isVisible: boolean; id: string | null }>(
    `SELECT ${maySee(table, "id")} AS "isVisible", ${lastGiven(table, "id")} AS id`,
  );
  return row?.isVisible ? Number(row.id ?? 0) : undefined;
}

export const idsAreHidden =
  "The PostgreSQL user may not see which ids were given; run this as the owner of the schema.";

export function sequenceOf(table: string, column: string): string {
  return `pg_get_serial_sequence('store.${table}', '${column}')`;
}

function maySee(table: string, column: string): string {
  return `has_sequence_privilege(${sequenceOf(table, column)}, 'USAGE, SELECT')`;
}
