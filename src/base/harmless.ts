/**
 * Nothing that comes from others may move the cursor, hide or turn around what is shown, or do anything else to the terminal.
 * It is escaped as JSON does, so that a line of JSON still says the same.
 */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    isJoiner(character) ? character : escaped(character),
  );
}

/** The same for a text of several lines. */
export function harmlessLines(text: string): string {
  return text.split("\n").map(harmless).join("\n");
}

/** Emoji and some scripts are written with these. */
function isJoiner(character: string): boolean {
  return character === "\u200d" || character === "\u200c";
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
