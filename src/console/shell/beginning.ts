import { foldName } from "../../domain/folded-name.ts";

/** A part of a text, from a place in it up to another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a text begins so, whatever its case and marks, as the store finds names; undefined if it does not. */
export function beginningOf(text: string, wanted: string): Span | undefined {
  const folded = foldName(wanted);
  if (folded === "" || !foldName(text).startsWith(folded)) return undefined;
  let end = 0;
  let isWhole = false;
  for (const character of text) {
    // What follows of a letter, such as its marks, adds nothing to what is compared.
    if (isWhole && foldName(text.slice(0, end + character.length)).length > folded.length) break;
    end += character.length;
    isWhole ||= foldName(text.slice(0, end)).length >= folded.length;
  }
  return { start: 0, end };
}

/** The same for the first of its words from which on it begins so. */
export function beginningOfWord(text: string, wanted: string): Span | undefined {
  for (const { index } of text.matchAll(/(?<!\S)\S/gu)) {
    const span = beginningOf(text.slice(index), wanted);
    if (span) return { start: index, end: index + span.end };
  }
  return undefined;
}
