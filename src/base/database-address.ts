export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** One for each server that may be the primary. They may hold a password, and are never shown. */
  readonly urls: readonly string[];
  readonly schema: string;
  /** Standbys that may serve reads. */
  readonly replicas: readonly string[];
}
