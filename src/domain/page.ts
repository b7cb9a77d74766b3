import type { Int64 } from "../base/int64.ts";

export interface PageRequest {
  readonly limit: number;
  /** The id before the page, in the order of the list. Default: the page starts at the start of the list. */
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

/** One value of a filter, or several in ascending order. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Returns a page of the items, which were read with a limit of one more. */
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
