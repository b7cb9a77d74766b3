/** Control characters and characters beyond U+DFFFF are missing, because the patterns contain ranges for them. */
const invisibleCharacters = [
  // Unicode's White_Space and Default_Ignorable_Code_Point, and the blank Braille pattern: spaces, fillers, punctuation, selectors, marks.
  " \u00a0\u1680\u3000",
  "\u115f-\u1160\u3164\uffa0\u2800",
  "\u2000-\u200f\u2028-\u202f\u205f-\u206f",
  "\u180b-\u180f\ufe00-\ufe0f",
  "\u00ad\u034f\u061c\u17b4-\u17b5\ufeff\ufff0-\ufff8",
  // Shorthand and musical notation: single characters, because no range may start beyond U+FFFF.
  "\u{1bca0}\u{1bca1}\u{1bca2}\u{1bca3}",
  "\u{1d173}\u{1d174}\u{1d175}\u{1d176}\u{1d177}\u{1d178}\u{1d179}\u{1d17a}",
].join("");

/**
 * JavaScript, Python, Java and RE2 interpret these patterns alike: no lookahead, `\p` or `\u`, so characters beyond Latin-1 stand for
 * themselves. No range starts beyond U+FFFF, because tools that read patterns by UTF-16 units could not compile it.
 */
export const namePatterns = {
  allowed: "^[^\\x00-\\x1f\\x7f-\\x9f]+$",
  /**
   * A text that matches both patterns has no visible character. The first pattern treats all characters from U+E0000 on as invisible; the
   * second matches no text with a character beyond U+E0FFF. Both match control characters, because `$` may match before a line break.
   */
  refused: [
    `[\\x00-\\x1f\\x7f-\\x9f]|^(?:[${invisibleCharacters}]|[^\\x00-\u{dffff}])*$`,
    "[\\x00-\\x1f\\x7f-\\x9f]|^[\\x00-\u{e0fff}]*$",
  ],
} as const;

/** True if the text is a valid name of at most `maxLength` characters. A lone surrogate is not a character. */
export function isName(text: string, maxLength: number): boolean {
  return text.isWellFormed() && [...text].length <= maxLength && !patterns.every((pattern) => pattern.test(text));
}

const patterns = namePatterns.refused.map((pattern) => new RegExp(pattern, "u"));
