import { foldName } from "../../domain/folded-name.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the beginning of a text that matches a prefix, as the store compares names. */
export function matchPrefix(text: string, prefix: string): Span | undefined {
  const folded = foldName(prefix);
  if (folded === "" || !foldName(text).startsWith(folded)) return undefined;
  let end = 0;
  for (const { segment } of graphemes.segment(text)) {
    end += segment.length;
    if (foldName(text.slice(0, end)).length >= folded.length) break;
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

/** A grapheme is a character as readers see it: a letter with its marks, a Hangul syllable, an emoji. */
const graphemes = new Intl.Segmenter();
