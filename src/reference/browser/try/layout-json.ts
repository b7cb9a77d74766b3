/**
 * JSON with a line for each value. Only the spaces between its parts are changed: numbers stay as they are written, which
 * parsing would round beyond 2^53. Undefined if it is not JSON.
 */
export function layoutJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text.replace(parts, (part, literal, empty) => {
    if (literal !== undefined) return literal;
    if (empty !== undefined) return empty.replace(/\s+/g, "");
    switch (part.trim()) {
      case "{":
      case "[":
        depth += 1;
        return part.trim() + line();
      case "}":
      case "]":
        depth -= 1;
        return line() + part.trim();
      case ",":
        return `,${line()}`;
      case ":":
        return ": ";
      default:
        return "";
    }
  });
}

/** A text or number or name; something empty; a bracket or mark with the spaces around it; spaces alone. */
const parts = /("(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)|(\{\s*\}|\[\s*\])|\s*[{}[\],:]\s*|\s+/g;
