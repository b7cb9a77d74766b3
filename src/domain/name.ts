/**
 * What a name that a person gives may be, as regular expressions, so that the document, the command line and the pages all
 * go by the same. They use nothing that JavaScript, Python, Java and RE2 read differently: no lookahead, no `\p`, no
 * `\u`. Characters beyond Latin-1 therefore stand in them as themselves, and no range starts beyond U+FFFF, which tools
 * that read a pattern by UTF-16 units could not compile.
 */
export const namePatterns = {
  /** Every name matches it. */
  allowed: "^[^\\x00-\\x1f\\x7f-\\x9f]+$",
  /**
   * What matches both is no name, because nothing of it can be seen: the one takes all from U+E0000 on for invisible, the
   * other tells that nothing beyond U+E0FFF is there. Both repeat the control characters, because to some languages `$` is
   * also before a line break at the end.
   */
  refused: [
    `[\\x00-\\x1f\\x7f-\\x9f]|^(?:[${rangesOf(invisible())}]|[^\\x00-\u{dffff}])*$`,
    "[\\x00-\\x1f\\x7f-\\x9f]|^[\\x00-\u{e0fff}]*$",
  ],
} as const;

/** Whether a text is a name of at most so many characters. Half of a surrogate pair is no character. */
export function isName(text: string, longest: number): boolean {
  return text.isWellFormed() && [...text].length <= longest && !refused.every((pattern) => pattern.test(text));
}

const refused = namePatterns.refused.map((pattern) => new RegExp(pattern, "u"));

type Range = readonly [first: number, last?: number];

/**
 * Unicode's White_Space and Default_Ignorable_Code_Point, but for control characters and what is beyond U+DFFFF, and the
 * blank Braille pattern.
 */
function invisible(): readonly Range[] {
  const spaces: Range[] = [[0x20], [0xa0], [0x1680], [0x3000]];
  const fillers: Range[] = [[0x115f, 0x1160], [0x3164], [0xffa0], [0x2800]];
  const punctuation: Range[] = [
    [0x2000, 0x200f],
    [0x2028, 0x202f],
    [0x205f, 0x206f],
  ];
  const selectors: Range[] = [
    [0x180b, 0x180f],
    [0xfe00, 0xfe0f],
  ];
  const marks: Range[] = [[0xad], [0x34f], [0x61c], [0x17b4, 0x17b5], [0xfeff], [0xfff0, 0xfff8]];
  const shorthand = [0x1bca0, 0x1bca1, 0x1bca2, 0x1bca3];
  const music = [0x1d173, 0x1d174, 0x1d175, 0x1d176, 0x1d177, 0x1d178, 0x1d179, 0x1d17a];
  const singles = [...shorthand, ...music].map((point): Range => [point]);
  return [...spaces, ...fillers, ...punctuation, ...selectors, ...marks, ...singles];
}

function rangesOf(ranges: readonly Range[]): string {
  return ranges.map((range) => range.map((end = 0) => String.fromCodePoint(end)).join("-")).join("");
}
