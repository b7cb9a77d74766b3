import { type Html, html, sentence } from "../base/html.ts";

/** The part of Markdown that the document is written in: paragraphs, `code`, **strong** and [links](/to). */
export function prose(text: string): Html[] {
  return paragraphsOf(text).map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
}

export function paragraphsOf(text: string): string[] {
  return text.split(/\n{2,}/);
}

export function inline(text: string): Html[] {
  return text.split(/(\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part, index) => {
    if (index % 2 === 0) return html`${sentence(part)}`;
    const [, label, target = ""] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return label
      ? html`<a href="${target}">${sentence(label)}</a>`
      : html`<strong>${sentence(part.slice(2, -2))}</strong>`;
  });
}
