import { type Html, html, markUpCode } from "../base/html.ts";

/** Formats the part of Markdown that the document uses: paragraphs, `code`, **strong** and [links](/to). */
export function prose(text: string): Html[] {
  return paragraphsOf(text).map((paragraph) => html`<p>${formatInline(paragraph)}</p>\n`);
}

export function paragraphsOf(text: string): string[] {
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

/** Returns the topic of a paragraph of the introduction: the bold words at its start. */
export function topicOf(paragraph: string): string | undefined {
  return /^\*\*([^*]+?)\.?\*\*/.exec(paragraph)?.[1];
}

export function anchorOf(topic: string): string {
  return topic.toLowerCase().replace(/\W+/g, "-");
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * Estimates the height of a part on a wide screen, in pixels, erring on the high side. Browsers use the estimate until they lay out the
 * part; if the estimate were too low, a part that is laid out only to be measured would overlap the next part.
 */
export function estimateHeight({ text }: Html): number {
  const unfolded = text.replaceAll(/<details\b.*?<\/details>/gs, "<summary>");
  const blocks = unfolded.match(/<(?:p|tr|h4|summary)\b/g)?.length ?? 0;
  const items = unfolded.match(/<li\b/g)?.length ?? 0;
  const { length } = unfolded.replaceAll(/<[^>]*>/g, "");
  return Math.round(20 + 35 * blocks + 8 * items + 0.44 * length);
}
