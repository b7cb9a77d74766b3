/** Returns the word that was probably meant: few letters are wrong, missing, added or swapped. */
export function suggestWord(written: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(written.replace(/^-+/, "").length / 3));
  let found: string | undefined;
  let fewest = most + 1;
  for (const word of words) {
    const apart = distance(written, word);
    if (apart < fewest) [found, fewest] = [word, apart];
  }
  return found ?? words.find((word) => written.length > 1 && word.startsWith(written));
}

/** Counts the insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const at = (back: number, left: number) => (back === 0 ? current : rows[row - back])?.[column - left] ?? 0;
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const steps = [at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1)];
      if (isSwapped) steps.push(at(2, 2) + 1);
      current.push(Math.min(...steps));
    }
    rows.push(current);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
