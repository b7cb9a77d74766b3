/**
 * Escapes, as JSON does, characters that would move the cursor of a terminal, hide text or change its direction. Joiners stay: emoji
 * and some scripts need them.
 */
export function escapeControls(text: string): string {
  return text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Escapes a text of several lines. */
export function escapeControlsInLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
