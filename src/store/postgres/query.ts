import type { Int64 } from "../../base/int64.ts";

export type Parameter = string | number | Uint8Array | null | ArrayParameter;

export interface ArrayParameter {
  readonly values: readonly (string | null)[];
  readonly type: "TEXT" | "INT8";
}

/**
 * Runs one statement, in which `store.` before a name stands for the schema: session settings are not used, because
 * a pooler in between would not keep them. 64-bit integers arrive as their digits.
 */
export type Query = <Row>(text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

export function toParameter(value: Int64 | string | Uint8Array | null): Parameter {
  return typeof value === "bigint" ? String(value) : value;
}

export function arrayOf(values: readonly (Int64 | string | null)[], type: ArrayParameter["type"]): ArrayParameter {
  return { values: values.map((value) => (value === null ? null : String(value))), type };
}

/** In the FROM clause of a single statement, makes its commit wait as that of a transaction with `isAppliedOnStandbys` does. */
export const appliedOnStandbys = "(SELECT set_config('synchronous_commit', 'remote_apply', true)) AS durability";
