import type { Query } from "../query.ts";

/**
 * SQL of the last number that a column has given; NULL if it has given none, or if the user may not see it: newer servers then return
 * NULL by themselves, older ones refuse the whole statement.
 */
export function lastGiven(schema: string, table: string, column: string): string {
  return `CASE WHEN ${maySee(schema, table, column)} THEN pg_sequence_last_value(${sequenceOf(schema, table, column)}) END`;
}

/** Returns the last id that a table has given: 0 before the first, and undefined if the user may not see it. */
export async function lastIdGiven(query: Query, table: string): Promise<number | undefined> {
  const [row] = await query<{ isVisible: boolean; id: string | null }>(
    `SELECT ${maySee(query.schema, table, "id")} AS "isVisible", ${lastGiven(query.schema, table, "id")} AS id`,
  );
  return row?.isVisible ? Number(row.id ?? 0) : undefined;
}

export const idsAreHidden =
  "The PostgreSQL user may not see which ids were given; run this as the owner of the schema.";

export function sequenceOf(schema: string, table: string, column: string): string {
  return `pg_get_serial_sequence('${schema}.${table}', '${column}')`;
}

function maySee(schema: string, table: string, column: string): string {
  return `has_sequence_privilege(${sequenceOf(schema, table, column)}, 'USAGE, SELECT')`;
}
