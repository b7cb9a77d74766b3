export interface PageRequest {
  readonly limit: number;
  /** The page starts behind this id; 0 is before the first. */
  readonly after: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; absent on the last. */
  readonly next?: number | undefined;
}
