import type { Query } from "../query.ts";

/** Returns the last number that a column has assigned, as SQL; NULL before the first number, or if the user may not see the number. */
export function lastAssigned(schema: string, table: string, column: string): string {
  return `CASE WHEN ${canSee(schema, table, column)} THEN pg_sequence_last_value(${sequenceOf(schema, table, column)}) END`;
}

/** Returns the last id that a table has assigned: 0 before the first id, and undefined if the user may not see the last id. */
export async function lastAssignedId(query: Query, table: string): Promise<number | undefined> {
  const [row] = await query<{ isVisible: boolean; id: string | null }>(
    `SELECT ${canSee(query.schema, table, "id")} AS "isVisible", ${lastAssigned(query.schema, table, "id")} AS id`,
  );
  return row?.isVisible ? Number(row.id ?? 0) : undefined;
}

export const hiddenIdsMessage =
  "The PostgreSQL user may not see which ids were assigned; run this as the owner of the schema.";

export function sequenceOf(schema: string, table: string, column: string): string {
  return `pg_get_serial_sequence('${schema}.${table}', '${column}')`;
}

function canSee(schema: string, table: string, column: string): string {
  return `has_sequence_privilege(${sequenceOf(schema, table, column)}, 'USAGE, SELECT')`;
}
