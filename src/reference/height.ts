import type { Html } from "../base/html.ts";

/**
 * How high a part of the page is on a wide screen, in pixels: about as high, and rather higher. A browser takes this for the height
 * of what it has not laid out yet. If it were too low, what is laid out only to be measured would lie over what follows it.
 */
export function heightOf({ text }: Html): number {
  const unfolded = text.replaceAll(/<details\b.*?<\/details>/gs, "<summary>");
  const blocks = unfolded.match(/<(?:p|tr|h4|summary)\b/g)?.length ?? 0;
  const items = unfolded.match(/<li\b/g)?.length ?? 0;
  const { length } = unfolded.replaceAll(/<[^>]*>/g, "");
  return Math.round(20 + 35 * blocks + 8 * items + 0.44 * length);
}
