/**
 * Folds a name for searching and sorting: compatibility decomposition (NFKD), case folding, and removal of accents. A search finds the
 * names whose folded form starts with the folded search text. NFKD splits Hangul syllables, so 하 finds 한.
 */
export function foldName(name: string): string {
  return foldUnlessAscii(name) ?? name.toLowerCase();
}

/** Returns null for an ASCII name, whose lower case the database can compute. */
export function foldUnlessAscii(name: string): string | null {
  if (asciiPattern.test(name)) return null;
  const folded = foldCase(name.normalize("NFKD")).replace(accentPattern, "");
  if (folded.length * maxBytesPerUnit <= maxFoldedBytes) return folded;
  return folded.slice(0, new TextEncoder().encodeInto(folded, new Uint8Array(maxFoldedBytes)).read);
}

/** Applies Unicode's full case folding, with ı as i. Upper case expands ß and merges variants of letters; ẞ has to become ß first. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** Returns the first text, in the order of code points, after all texts with this prefix; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === lastCodePoint) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return undefined;
  const next = last === beforeSurrogates ? afterSurrogates : last + 1;
  return String.fromCodePoint(...codePoints, next);
}

const asciiPattern = /^[\0-\x7f]*$/;

/** Marks after Latin, Greek and Cyrillic letters. In other scripts, marks are vowels or distinguish consonants. */
const accentPattern = /(?<=(?=\p{L})[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/** An index entry in PostgreSQL has at most 2,704 bytes. Only a name of many word ligatures, such as ﷺ (33 bytes), is truncated. */
export const maxFoldedBytes = 2_550;
const maxBytesPerUnit = 3;

const lastCodePoint = 0x10ffff;
const beforeSurrogates = 0xd7ff;
const afterSurrogates = 0xe000;
