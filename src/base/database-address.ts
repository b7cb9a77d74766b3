/** Where the animals are kept. */
export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** One for each server that may be the primary. They may hold a password, and so are never shown. */
  readonly urls: readonly string[];
  /** The schema in which the tables are. */
  readonly schema: string;
  /** Standbys that reads may be sent to. */
  readonly replicas: readonly string[];
}
