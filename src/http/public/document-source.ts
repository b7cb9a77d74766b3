import type { Clock } from "../../base/clock.ts";
import type { Operation } from "../../operations/operation.ts";

export interface ServerAddress {
  readonly url: string;
  readonly description: string;
}

export type DocumentFormat = "json" | "yaml";

/** The files that the page of the reference loads. */
export interface ReferenceAssets {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** Where the document of the interface comes from. */
export interface DocumentSource {
  readonly operations: readonly Operation[];
  /** The addresses that the operator has configured. */
  readonly addresses: readonly ServerAddress[];
  readonly clock: Clock;
  /** The document as text. */
  describe(operations: readonly Operation[], addresses: readonly ServerAddress[], format: DocumentFormat): string;
  /** The same as a page for people. */
  show(operations: readonly Operation[], addresses: readonly ServerAddress[], assets: ReferenceAssets): string;
}
