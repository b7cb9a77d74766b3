/** Where the animals are kept. */
export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** As PostgreSQL's own tools take it; may hold a password, and so is never shown. */
  readonly url: string;
  /** The schema in which the tables are. */
  readonly schema: string;
}
