import type { Int64 } from "../base/int64.ts";

export interface PageRequest {
  readonly limit: number;
  readonly after?: Int64 | undefined;
  /** In a list by name, the folded name of the item whose id is `after`. */
  readonly afterName?: string | undefined;
  readonly isDescending?: boolean | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The id of the last item. Absent on the last page. */
  readonly next?: Int64 | undefined;
  /** In a list by name, the folded name of the item whose id is `next`. */
  readonly nextName?: string | undefined;
}

/** One value of a filter, or several in ascending order. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Returns a page of at most `limit` items. If there are more items than `limit`, there is a next page. */
export function toPage<Item extends { readonly id: Int64 }>(items: Item[], limit: number): Page<Item> {
  if (items.length <= limit) return { items };
  items.length = limit;
  return { items, next: items[limit - 1]?.id };
}

export function toPageByName<Item extends { readonly id: Int64 }>(
  rows: readonly { readonly item: Item; readonly foldedName: string }[],
  limit: number,
): Page<Item> {
  const items = rows.map(({ item }) => item);
  const page = toPage(items, limit);
  return page.next === undefined ? page : { ...page, nextName: rows[limit - 1]?.foldedName };
}
