/**
 * A name as it is looked for: compatible characters are one, and neither case nor marks make a difference. What begins with
 * the other when both are folded is found. It is in decomposed form, so that the start of a Hangul syllable is a start too.
 */
export function foldName(name: string): string {
  return foldUnlessAscii(name) ?? name.toLowerCase();
}

/** Null for a name of ASCII alone: its lower case is all there is to it, and that is what a database can make by itself. */
export function foldUnlessAscii(name: string): string | null {
  if (isAscii.test(name)) return null;
  // Lower case may bring a mark that was not there, as of the Turkish capital I, and a sigma that depends on what follows.
  const lower = name.normalize("NFKD").toLowerCase().normalize("NFKD").replaceAll("ς", "σ");
  // Of nothing but marks, these are all there is.
  return [...(lower.replace(marks, "") || lower)].slice(0, longestFolded).join("");
}

/** The first text, in the order of code points, that comes after all that begin so; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastPoint) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last === beforeSurrogates ? afterSurrogates : last + 1;
  return String.fromCodePoint(...points, next);
}

const isAscii = /^[\0-\x7f]*$/;
const marks = /\p{M}/gu;

/** One character can become 18, and an index of PostgreSQL takes entries of at most 2,704 bytes. */
const longestFolded = 255;

const lastPoint = 0x10ffff;
const beforeSurrogates = 0xd7ff;
const afterSurrogates = 0xe000;
