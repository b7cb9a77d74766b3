/** What a paragraph of the introduction is about, if it begins with that in bold. */
export function topicOf(paragraph: string): string | undefined {
  return /^\*\*([^*]+?)\.?\*\*/.exec(paragraph)?.[1];
}

export function anchorOf(topic: string): string {
  return topic.toLowerCase().replace(/\W+/g, "-");
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
