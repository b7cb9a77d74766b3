import type { Page } from "../../../client/index.ts";
import { longestPage } from "../../api/store.ts";

/** What is known of a page besides its animals. */
export interface KnownPage {
  readonly cursor: string | undefined;
  /** How many animals were on it when it was last read. */
  readonly length?: number;
  /** Where the one behind it starts; null if there is none. */
  readonly next?: string | null;
}

/** As many rows as every browser lets an element be high; more are shown from there on. */
export const mostPages = 4_000;

/** The pages after one of them was read. If it now ends elsewhere, what was known of those behind it is forgotten. */
export function advance(
  pages: readonly KnownPage[],
  index: number,
  { items, next }: Page<unknown>,
): readonly KnownPage[] {
  const before = pages[index];
  if (!before) return pages;
  if (before.length === items.length && before.next === (next ?? null)) return pages;
  const page = { cursor: before.cursor, length: items.length, next: next ?? null };
  const behind = pages[index + 1]?.cursor === next ? pages.slice(index + 1) : [{ cursor: next }];
  const isEnd = next === undefined || index + 1 >= mostPages;
  return [...pages.slice(0, index), page, ...(isEnd ? [] : behind)];
}

/** The first row of each page, and behind them the number of all rows. */
export function startsOf(pages: readonly KnownPage[]): number[] {
  const starts = [0];
  for (const { length = longestPage } of pages) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}
