export type DatabaseAddress = { readonly kind: "sqlite"; readonly path: string } | PostgresAddress;

export interface PostgresAddress {
  readonly kind: "postgres";
  /** The servers that may be the primary. The URLs are never shown, because they may contain passwords. */
  readonly urls: readonly string[];
  readonly schema: string;
  readonly replicas: readonly string[];
}
