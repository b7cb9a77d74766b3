import type { Int64 } from "../../base/int64.ts";

export type Parameter = string | number | Uint8Array | null | ArrayParameter;

export interface ArrayParameter {
  readonly values: readonly (string | null)[];
  readonly type: "TEXT" | "INT8";
}

/** Runs one statement. 64-bit integers arrive as their digits. */
export type Run = <Row>(text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

export interface Query extends Run {
  /**
   * The quoted schema, with which statements qualify every table. A `search_path` of the session would get lost: a pooler hands
   * each transaction to another session.
   */
  readonly schema: string;
}

export function queryIn(schema: string, run: Run): Query {
  return Object.assign(run, { schema });
}

export function toParameter(value: Int64 | string | Uint8Array | null): Parameter {
  return typeof value === "bigint" ? String(value) : value;
}

export function arrayOf(values: readonly (Int64 | string | null)[], type: ArrayParameter["type"]): ArrayParameter {
  return { values: values.map((value) => (value === null ? null : String(value))), type };
}

/** In the FROM clause of a single statement, makes its commit wait as that of a transaction with `isAppliedOnStandbys` does. */
export const appliedOnStandbys = "(SELECT set_config('synchronous_commit', 'remote_apply', true)) AS durability";

/** A position in the WAL: earlier commits have lower ones. */
export type Position = bigint;

/** Parses a position as the server writes it: two hexadecimal halves. */
export function positionOf(text: string): Position {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/**
 * Identifies the server and its last start. Crash recovery after the loss of one process is no new start of the postmaster, but
 * resets the statistics.
 */
export const serverLife = "concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())";
