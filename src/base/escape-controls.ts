/** Escapes characters that control a terminal, hide text or change its direction. Joiners stay: emoji and some scripts need them. */
export function escapeControls(text: string): string {
  return text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

export function escapeControlsInLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
}
