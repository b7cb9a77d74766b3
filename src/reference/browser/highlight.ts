/** Highlights syntax with the CSS Custom Highlight API, which does not change the elements. */
export function highlight(code: HTMLElement): void {
  const pattern = patterns[code.dataset["language"] ?? ""];
  if (!pattern || !("highlights" in CSS)) return;
  code.normalize();
  const node = code.firstChild;
  if (!(node instanceof Text)) return;
  for (const match of node.data.matchAll(pattern)) {
    // Each match fills exactly one group, which is named after the kind of token.
    const [kind] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (kind === undefined) continue;
    if (!CSS.highlights.has(kind)) CSS.highlights.set(kind, new Highlight());
    const endOffset = match.index + match[0].length;
    const range = new StaticRange({ startContainer: node, startOffset: match.index, endContainer: node, endOffset });
    CSS.highlights.get(kind)?.add(range);
  }
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
