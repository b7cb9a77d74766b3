export type DocumentFormat = "json" | "yaml";

/** The document as text, in ASCII alone: a pattern may hold characters that nobody sees, or that turn a line around. */
export function documentText(document: unknown, format: DocumentFormat): string {
  return format === "json" ? jsonOf(document) : yamlOf(document, "");
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\uffff]/g, (unit) => `\\u${hexOf(unit, 4)}`);
}

/**
 * With every text in quotes, as JSON writes it: readers of YAML 1.1, which are many, would take a bare `2030-12-05` for a
 * date and a bare `no` for false.
 */
function yamlOf(value: unknown, indent: string): string {
  if (!isBlock(value)) return `${quote(value)}\n`;
  if (Array.isArray(value)) return value.map((item) => `${indent}- ${itemOf(item, indent)}`).join("");
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => `${indent}${keyOf(key)}:${isBlock(part) ? "\n" : " "}${yamlOf(part, `${indent}  `)}`)
    .join("");
}

/** An item starts on the line of its dash. */
function itemOf(item: unknown, indent: string): string {
  return yamlOf(item, `${indent}  `).trimStart();
}

function keyOf(key: string): string {
  return /^[A-Za-z$][\w$-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key) ? key : quote(key);
}

/** Unlike JSON, YAML does not put the halves of a surrogate pair together. */
function quote(value: unknown): string {
  return JSON.stringify(value).replace(/[\x7f-\u{10ffff}]/gu, (character) =>
    character.length === 1 ? `\\u${hexOf(character, 4)}` : `\\U${hexOf(character, 8)}`,
  );
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function hexOf(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, "0");
}
