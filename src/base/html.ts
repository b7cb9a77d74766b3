export class Html {
  constructor(readonly text: string) {}
}

type HtmlPart = string | number | Html | readonly Html[];

export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(texts.map((text, index) => text + escapePart(parts[index] ?? "")).join(""));
}

export function joinHtml(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}

/** Converts a text to HTML. Backticks enclose code. */
export function markUpCode(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function escapePart(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return joinHtml(part, "").text;
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
