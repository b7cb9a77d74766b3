import type { Int64 } from "../base/int64.ts";

export interface PageRequest {
  readonly limit: number;
  /** The page starts after this id, in the order of the list. Default: at the start of the list. */
  readonly after?: Int64 | undefined;
  /** In a list by name, the folded name of the item with that id. */
  readonly afterName?: string | undefined;
  readonly isDescending?: boolean | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The start of the next page; absent on the last page. */
  readonly next?: Int64 | undefined;
  /** In a list by name, the folded name of the item with that id. */
  readonly nextName?: string | undefined;
}

/** A filter by a value, or by several in ascending order. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Returns a page of items that were read with one more than the limit. */
export function pageOf<Item extends { readonly id: Int64 }>(items: Item[], limit: number): Page<Item> {
  if (items.length <= limit) return { items };
  items.length = limit;
  return { items, next: items[limit - 1]?.id };
}

export function pageByName<Item extends { readonly id: Int64 }>(
  found: readonly { readonly item: Item; readonly foldedName: string }[],
  limit: number,
): Page<Item> {
  const page = pageOf(
    found.map(({ item }) => item),
    limit,
  );
  return page.next === undefined ? page : { ...page, nextName: found[limit - 1]?.foldedName };
}
