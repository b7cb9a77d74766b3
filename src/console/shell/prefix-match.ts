import { foldName } from "../../domain/folded-name.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the characters of a text that match the start of a name filter, as the store compares names; undefined if none do. */
export function matchPrefix(text: string, wanted: string): Span | undefined {
  const folded = foldName(wanted);
  if (folded === "" || !foldName(text).startsWith(folded)) return undefined;
  let end = 0;
  for (const { segment } of characters.segment(text)) {
    end += segment.length;
    if (foldName(text.slice(0, end)).length >= folded.length) break;
  }
  return { start: 0, end };
}

/** Finds the first place where a word starts, and the text from there on starts with what is wanted. */
export function matchWordPrefix(text: string, wanted: string): Span | undefined {
  for (const { index } of text.matchAll(/(?<!\S)\S/gu)) {
    const span = matchPrefix(text.slice(index), wanted);
    if (span) return { start: index, end: index + span.end };
  }
  return undefined;
}

/** Splits a text into characters as readers see them: a letter with its marks, a Hangul syllable, an emoji. */
const characters = new Intl.Segmenter();
