/** Markup of an HTML page. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlPart = string | number | Html | readonly Html[];

/** Builds markup; a part that is not markup itself is escaped. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(texts.map((text, index) => text + textOf(parts[index] ?? "")).join(""));
}

export function joinHtml(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}

/** Formats a sentence, in which backticks mark code. */
export function markUpCode(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function textOf(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
