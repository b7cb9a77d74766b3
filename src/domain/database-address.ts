/** Where the animals are kept. */
export interface DatabaseAddress {
  readonly kind: "sqlite";
  readonly path: string;
}
