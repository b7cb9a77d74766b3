import type { Int64 } from "../base/int64.ts";

export interface PageRequest {
  readonly limit: number;
  /** The page starts after this id, in the order of the list; at its start if it is not given. */
  readonly after?: Int64 | undefined;
  /** In a list by name, the folded name of the item with that id. */
  readonly afterName?: string | undefined;
  /** Whether the list begins with the highest id, and not with the lowest. */
  readonly isDescending?: boolean | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; absent on the last. */
  readonly next?: Int64 | undefined;
  /** In a list by name, the folded name of the item with that id. */
  readonly nextName?: string | undefined;
}

/** What a list is narrowed to: a value, or several in ascending order, of which an item has one. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A page from items of which one more than asked for was read, if there was one. */
export function pageOf<Item extends { readonly id: Int64 }>(items: Item[], limit: number): Page<Item> {
  if (items.length <= limit) return { items };
  items.length = limit;
  return { items, next: items[limit - 1]?.id };
}

/** The same in a list by name, from items that come with their folded names. */
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
