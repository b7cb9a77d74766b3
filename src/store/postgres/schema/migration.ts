import type { MigrationFacts } from "../../schema-version.ts";
import type { Query } from "../query.ts";

export interface Migration extends MigrationFacts {
  readonly steps: readonly Step[];
}

/**
 * Each is committed separately, can be made again after an interrupted run, and blocks no write for longer than a
 * moment.
 */
export type Step =
  /** In one transaction. */
  | { readonly sql: string }
  /** Built beside the writes of others. */
  | { readonly index: string; readonly on: string }
  /** One statement, made again with the `last` key that it returned, from "" on, until it returns none. */
  | { readonly batches: string }
  /** What only the program can make of the rows, some at a time. */
  | { readonly change: (query: Query) => Promise<void> };
