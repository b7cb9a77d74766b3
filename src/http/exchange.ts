import type { Caller } from "../domain/key.ts";
import type { Operation } from "../operations/operation.ts";

/** What becomes known of a request on its way. */
export interface Exchange {
  readonly request: Request;
  readonly id: string;
  readonly path: string;
  readonly query: string;
  /** What the response carries however it ends. */
  readonly headers: Record<string, string>;
  /** Where it came from, if that had to be found out. */
  client?: string;
  caller?: Caller;
  operation?: Operation;
}
