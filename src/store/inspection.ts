export interface StoreFacts {
  readonly engine: string;
  /** Version of the schema; undefined if there is no store yet. */
  readonly schema: number | undefined;
  readonly newestSchema: number;
  readonly files: readonly StoredFile[];
  readonly folder?: StoredFolder | undefined;
  /** Time by which the clock of this machine is ahead of the server's clock. */
  readonly aheadMs?: number | undefined;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** The permission bits of `chmod`. */
  readonly mode: number;
  readonly changedAt: number;
}

export interface StoredFolder {
  readonly path: string;
  readonly mode: number;
  readonly freeBytes: number;
}
