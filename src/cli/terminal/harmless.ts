/** Nothing that comes from others may move the cursor, hide or turn around what is shown, or do anything else to the terminal. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    isJoiner(character) ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** Emoji and some scripts are written with these. */
function isJoiner(character: string): boolean {
  return character === "\u200d" || character === "\u200c";
}

/** The same for a text of several lines. */
export function harmlessLines(text: string): string {
  return text.split("\n").map(harmless).join("\n");
}
