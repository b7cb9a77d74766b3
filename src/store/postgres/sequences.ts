/**
 * The last number that a column has given; null if it has given none, or to a user who may not see it: newer servers tell such a
 * user nothing by themselves, older ones refuse the whole statement.
 */
export function lastGiven(table: string, column: string): string {
  return `CASE WHEN ${maySee(table, column)} THEN pg_sequence_last_value(${sequenceOf(table, column)}) END`;
}

/** Whether the user may see which numbers a column has given. */
export function maySee(table: string, column: string): string {
  return `has_sequence_privilege(${sequenceOf(table, column)}, 'USAGE, SELECT')`;
}

function sequenceOf(table: string, column: string): string {
  return `pg_get_serial_sequence('store.${table}', '${column}')`;
}
