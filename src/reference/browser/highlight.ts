/** Highlights syntax with the CSS Custom Highlight API, which does not change the elements. */
export function highlight(code: HTMLElement): void {
  const pattern = patterns[code.dataset["language"] ?? ""];
  if (!pattern || !("highlights" in CSS)) return;
  const nodes = textNodesOf(code);
  for (const match of (code.textContent ?? "").matchAll(pattern)) {
    // Each match fills exactly one group, which is named after the kind of token.
    const [kind] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    const range = rangeOf(nodes, match.index, match.index + match[0].length);
    if (kind !== undefined && range) paint(kind, range);
  }
}

function paint(kind: string, range: StaticRange): void {
  if (!CSS.highlights.has(kind)) CSS.highlights.set(kind, new Highlight());
  CSS.highlights.get(kind)?.add(range);
}

const textPattern = /(?<text>"(?:[^"\\\n]|\\.)*"|'[^']*'|`[^`]*`)/;
const numberPattern = /(?<number>(?<![\w.])-?\d[\d.]*(?:[eE][+-]?\d+)?\b)/;
const scriptPattern = new RegExp(
  `${textPattern.source}|(?<word>\\b(?:import|from|const|new|await|for|of)\\b)|${numberPattern.source}`,
  "g",
);

const patterns: Readonly<Record<string, RegExp>> = {
  json: new RegExp(
    `(?<name>"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))|${textPattern.source}|(?<word>\\b(?:true|false|null)\\b)|${numberPattern.source}`,
    "g",
  ),
  curl: new RegExp(`${textPattern.source}|(?<word>(?<=\\s)-\\w\\b|^curl\\b)`, "g"),
  client: scriptPattern,
  fetch: scriptPattern,
};

type TextNode = { readonly node: Text; readonly start: number };

function textNodesOf(code: HTMLElement): TextNode[] {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const found: TextNode[] = [];
  let start = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    found.push({ node, start });
    start += node.length;
  }
  return found;
}

function rangeOf(nodes: readonly TextNode[], from: number, to: number): StaticRange | undefined {
  const nodeAt = (position: number) => nodes.findLast(({ start }) => start <= position);
  const [first, last] = [nodeAt(from), nodeAt(to - 1)];
  if (!first || !last) return undefined;
  return new StaticRange({
    startContainer: first.node,
    startOffset: from - first.start,
    endContainer: last.node,
    endOffset: to - last.start,
  });
}
