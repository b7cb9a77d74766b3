import { foldName } from "../../domain/folded-name.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the part at the beginning of a text that matches a prefix. Ignores the same differences as the store's search for names. */
export function matchPrefix(text: string, prefix: string): Span | undefined {
  const foldedName = foldName(prefix);
  if (foldedName === "" || !foldName(text).startsWith(foldedName)) return undefined;
  let end = 0;
  for (const { segment } of graphemes.segment(text)) {
    end += segment.length;
    if (foldName(text.slice(0, end)).length >= foldedName.length) break;
  }
  return { start: 0, end };
}

/** Finds the first match of a prefix that starts at the beginning of a word. */
export function matchWordPrefix(text: string, prefix: string): Span | undefined {
  for (const { index } of text.matchAll(/(?<!\S)\S/gu)) {
    const span = matchPrefix(text.slice(index), prefix);
    if (span) return { start: index, end: index + span.end };
  }
  return undefined;
}

/** Splits text into graphemes: characters as readers see them, such as a letter with its accents or an emoji. */
const graphemes = new Intl.Segmenter();
