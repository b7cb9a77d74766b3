/** What can be found out about a store without changing anything. */
export interface StoreFacts {
  /** The engine and its version. */
  readonly engine: string;
  /** The version of the schema; undefined where there is no store yet. */
  readonly schema: number | undefined;
  /** The newest that this program knows. */
  readonly newestSchema: number;
  /** The files of the store on this machine that are there, and where they are. */
  readonly files: readonly StoredFile[];
  readonly folder?: StoredFolder | undefined;
  /** How far the clock of this machine is ahead of that of the server. */
  readonly aheadMs?: number | undefined;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** The rights, as `chmod` takes them. */
  readonly mode: number;
  readonly changedAt: number;
}

export interface StoredFolder {
  readonly path: string;
  readonly mode: number;
  readonly freeBytes: number;
}
