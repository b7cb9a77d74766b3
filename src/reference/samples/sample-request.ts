import type { Html } from "../../base/html.ts";

/** A request that is shown in several languages: with an example for everything that it must have. */
export interface SampleRequest {
  readonly operationId: string;
  readonly method: string;
  /** Where the service is. */
  readonly origin: Html;
  /** From the origin on. */
  readonly path: string;
  /** The examples in the path, in its order. */
  readonly arguments: readonly unknown[];
  readonly body?: { readonly type: string; readonly value: unknown } | undefined;
  /** What comes back: nothing, one JSON value, pages of a list, or lines of JSON. */
  readonly answer: "nothing" | "value" | "pages" | "lines";
}
