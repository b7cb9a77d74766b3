import type { Int64 } from "../../base/int64.ts";

export type Parameter = string | number | Uint8Array | null | ArrayParameter;

export interface ArrayParameter {
  readonly type: "TEXT" | "INT8";
  readonly values: readonly (string | null)[];
}

/** Runs one statement. 64-bit integers arrive as decimal text. */
export type Run = <Row>(text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

export interface Query extends Run {
  /** The quoted schema, which qualifies every table: a pooler may run each transaction in a session with a different `search_path`. */
  readonly schema: string;
}

export function createQuery(schema: string, run: Run): Query {
  return Object.assign(run, { schema });
}

export function toParameter(value: Int64 | string | Uint8Array | null): Parameter {
  return typeof value === "bigint" ? String(value) : value;
}

export function toArray(type: ArrayParameter["type"], values: readonly (Int64 | string | null)[]): ArrayParameter {
  return { type, values: values.map((value) => (value === null ? null : String(value))) };
}

export function toColumns(
  types: readonly ArrayParameter["type"][],
  rows: readonly (readonly (Int64 | string | null)[])[],
): ArrayParameter[] {
  const valuesOf = (column: number) => rows.map((row) => row[column] ?? null);
  return types.map((type, column) => toArray(type, valuesOf(column)));
}

/** First statement of a transaction, which then has one snapshot for all statements. */
export const beginSnapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** Item of the FROM clause of a single statement, whose commit then waits until the synchronous standbys show the changes. */
export const appliedOnStandbys = "(SELECT set_config('synchronous_commit', 'remote_apply', true)) AS durability";

/** Statement that adds an empty record to the WAL, so that a commit waits for the disk and the standbys as after a write. */
export const writeNothing = "SELECT pg_logical_emit_message(true, 'animal-store', '')";

/** One row, where the planner expects a thousand. So sorting all joined rows looks more expensive than a walk along an index. */
export const overestimatedRow = "string_to_table('one', '') AS overestimated_row";

export type WalPosition = bigint;

export function parseWalPosition(text: string): WalPosition {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** SQL that identifies the server and its last start. Crash recovery does not restart the postmaster, but resets the statistics. */
export const serverStartId = "concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())";
