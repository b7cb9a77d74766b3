/** Returns the word that was probably meant: the word that needs the fewest edits, or the first that begins with the written text. */
export function suggestWord(written: string, words: readonly string[]): string | undefined {
  const maxEdits = Math.max(1, Math.floor(written.replace(/^-+/, "").length / 3));
  const edits = words.map((word) => countEdits(written, word));
  const minEdits = Math.min(...edits);
  if (minEdits <= maxEdits) return words[edits.indexOf(minEdits)];
  return words.find((word) => written.length > 1 && word.startsWith(written));
}

/** Counts the insertions, removals, replacements and swaps of neighbouring characters (optimal string alignment). */
function countEdits(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const editsAt = (back: number, left: number) => (back === 0 ? current : rows[row - back])?.[column - left] ?? 0;
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const counts = [editsAt(1, 0) + 1, editsAt(0, 1) + 1, editsAt(1, 1) + (isSame ? 0 : 1)];
      if (isSwapped) counts.push(editsAt(2, 2) + 1);
      current.push(Math.min(...counts));
    }
    rows.push(current);
  }
  return rows[from.length]?.[to.length] ?? 0;
}
