export interface StoreFacts {
  readonly engine: string;
  readonly schema: number | undefined;
  readonly newestSchema: number;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    /** The permission bits of `chmod`. */
    readonly mode: number;
    readonly changedAt: number;
  }[];
  readonly folder?: { readonly path: string; readonly mode: number; readonly freeBytes: number } | undefined;
  /** Time by which the clock of this machine is ahead of the server's clock. */
  readonly aheadMs?: number | undefined;
  /** Properties of the database servers that matter for running the service. */
  readonly diagnoses?: readonly Diagnosis[];
}

export interface Diagnosis {
  readonly about: string;
  readonly isWell: boolean;
  readonly found: string;
  readonly advice?: string;
}
