import { type Html, html, markUpCode } from "../base/html.ts";

/** Formats the part of Markdown that the document uses: paragraphs, `code`, **strong** and [links](/to). */
export function renderProse(text: string): Html[] {
  return splitParagraphs(text).map((paragraph) => html`<p>${formatInline(paragraph)}</p>\n`);
}

export function splitParagraphs(text: string): string[] {
  return text.split(/\n{2,}/);
}

export function formatInline(text: string): Html[] {
  return text.split(/(\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part, index) => {
    if (index % 2 === 0) return html`${markUpCode(part)}`;
    const [, label, target = ""] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return label
      ? html`<a href="${target}">${markUpCode(label)}</a>`
      : html`<strong>${markUpCode(part.slice(2, -2))}</strong>`;
  });
}

/** Returns the bold words at the start of a paragraph, which state its topic in the introduction. */
export function parseTopic(paragraph: string): string | undefined {
  return /^\*\*([^*]+?)\.?\*\*/.exec(paragraph)?.[1];
}

export function toAnchor(topic: string): string {
  return topic.toLowerCase().replace(/\W+/g, "-");
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
