/** A value as a program in JavaScript has it, on one line if it is short. */
export function literal(value: unknown, indent = ""): string {
  const short = onOneLine(value);
  if (short.length <= 60 || typeof value !== "object" || value === null) return short;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join("")}${indent}]`;
  const fields = Object.entries(value).map(([name, part]) => `${inner}${nameOf(name)}: ${literal(part, inner)},\n`);
  return `{\n${fields.join("")}${indent}}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, part]) => `${nameOf(name)}: ${onOneLine(part)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
