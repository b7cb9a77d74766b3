import { longestPage, type Page } from "./api.ts";

/** What is known of a page besides its animals. */
export interface KnownPage {
  readonly cursor: string | undefined;
  /** How many animals were on it when it was last read. */
  readonly length?: number;
  /** Whether there is none behind it. */
  readonly isLast?: boolean;
}

/** So many rows are as high as every browser lets an element be; whoever wants more goes on from there. */
export const mostRows = 400_000;

/** The pages after one of them was read. If it now ends elsewhere, what was known of those behind it is forgotten. */
export function advance(
  pages: readonly KnownPage[],
  index: number,
  { items, next }: Page<unknown>,
): readonly KnownPage[] {
  const before = pages[index];
  if (!before) return pages;
  const behind = pages[index + 1];
  const isSame = before.length === items.length && before.isLast === (next === undefined);
  const isFull = (index + 1) * longestPage >= mostRows;
  if (isSame && (next === undefined || isFull || behind?.cursor === next)) return pages;
  const page = { cursor: before.cursor, length: items.length, isLast: next === undefined };
  if (next === undefined) return [...pages.slice(0, index), page];
  if (behind?.cursor === next) return [...pages.slice(0, index), page, ...pages.slice(index + 1)];
  return [...pages.slice(0, index), page, { cursor: next }];
}

/** The first row of each page, and behind them the number of all rows. */
export function startsOf(pages: readonly KnownPage[]): number[] {
  const starts = [0];
  for (const { length = longestPage } of pages) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}
