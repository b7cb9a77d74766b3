export type DocumentFormat = "json" | "yaml";

/** Returns ASCII, because some patterns contain invisible characters, or characters that change the text direction. */
export function formatDocument(document: unknown, format: DocumentFormat): string {
  return format === "json" ? formatJson(document) : formatYaml(document, "");
}

function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\uffff]/g, (unit) => `\\u${formatHex(unit, 4)}`);
}

/** Quotes every string, because readers of YAML 1.1 parse a bare `2030-12-05` as a date, and a bare `no` as false. */
function formatYaml(value: unknown, indent: string): string {
  if (!isBlock(value)) return `${quote(value)}\n`;
  if (Array.isArray(value))
    return value.map((item) => `${indent}- ${formatYaml(item, `${indent}  `).trimStart()}`).join("");
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => `${indent}${formatKey(key)}:${isBlock(part) ? "\n" : " "}${formatYaml(part, `${indent}  `)}`)
    .join("");
}

function formatKey(key: string): string {
  return /^[A-Za-z$][\w$-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key) ? key : quote(key);
}

/** Escapes whole characters: unlike JSON, YAML does not combine escaped surrogates. */
function quote(value: unknown): string {
  return JSON.stringify(value).replace(/[\x7f-\u{10ffff}]/gu, (character) =>
    character.length === 1 ? `\\u${formatHex(character, 4)}` : `\\U${formatHex(character, 8)}`,
  );
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function formatHex(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, "0");
}
