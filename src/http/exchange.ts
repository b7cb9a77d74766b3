import type { Operation } from "../operations/operation.ts";
import type { Caller } from "./authentication.ts";

/** What becomes known of a request on its way. */
export interface Exchange {
  readonly request: Request;
  readonly id: string;
  readonly path: string;
  readonly query: string;
  /** What the response carries however it ends. */
  readonly headers: Record<string, string>;
  caller?: Caller;
  operation?: Operation;
}
