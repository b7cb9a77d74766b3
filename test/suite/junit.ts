export interface Counts {
  passed: number;
  readonly failed: string[];
  readonly skipped: string[];
}

/** Counts the results in a JUnit report. Returns zeros if there is no report. */
export async function readCounts(path: string): Promise<Counts> {
  const file = Bun.file(path);
  const counts: Counts = { passed: 0, failed: [], skipped: [] };
  const text = (await file.exists()) ? await file.text() : "";
  for (const [, attributes = "", isSingle, content = ""] of text.matchAll(
    /<testcase ([^>]*?)(\/)?>(?:\s*<(failure|error|skipped)\b)?/g,
  )) {
    const name = parseName(attributes);
    if (isSingle || content === "") counts.passed++;
    else counts[content === "skipped" ? "skipped" : "failed"].push(name);
  }
  return counts;
}

function parseName(attributes: string): string {
  const readAttribute = (key: string) => new RegExp(`\\b${key}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return [readAttribute("classname"), readAttribute("name")].filter(Boolean).map(decodeEntities).join(" > ");
}

function decodeEntities(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (characters[name] ?? whole),
  );
}
