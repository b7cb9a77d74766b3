import { parseJsonInt64 } from "./int64.ts";

/** Parses integers beyond 2^53 as bigints, and any number that is not an int64 as NaN, which no field accepts. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, inexactNumberPattern.test(text) ? (reviveNumber as Reviver) : undefined);
}

export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint made stringify throw. Bigints are rare, so only they pay for the replacer.
    return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? rawJson(part.toString()) : part));
  }
}

/** Returns the limit that a JSON text exceeds. Limits exist because parsing blocks all other requests. */
export function findExceededLimit(text: string): "depth" | "values" | undefined {
  if (text.length <= maxJsonDepth) return undefined;
  let depth = 0;
  let valueCount = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case '"':
        index = endOfString(text, index);
        break;
      case "{":
      case "[":
        if (++depth > maxJsonDepth) return "depth";
        if (++valueCount > maxJsonValues) return "values";
        break;
      case "}":
      case "]":
        depth--;
        break;
      case ",":
        if (++valueCount > maxJsonValues) return "values";
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashCount = 0;
    while (text[end - 1 - backslashCount] === "\\") backslashCount++;
    if (backslashCount % 2 === 0) return end;
  }
  return text.length;
}

export const maxJsonDepth = 32;
export const maxJsonValues = 100_000;

/** Returns the paths of names that occur more than once in an object; `JSON.parse` silently keeps only the last value. */
export function findRepeatedNames(text: string): string[][] {
  const repeatedPaths: string[][] = [];
  /** The names so far in each open object or array, and the name or index of the current value. */
  const openContainers: { readonly names: Set<string>; key: string | number }[] = [];
  let latestString = "";
  for (let index = 0; index < text.length; index++) {
    const innermost = openContainers.at(-1);
    switch (text[index]) {
      case "{":
      case "[":
        openContainers.push({ names: new Set(), key: 0 });
        break;
      case "}":
      case "]":
        openContainers.pop();
        break;
      case ",":
        if (typeof innermost?.key === "number") innermost.key++;
        break;
      case '"': {
        const end = endOfString(text, index);
        latestString = text.slice(index, end + 1);
        index = end;
        break;
      }
      case ":":
        if (!innermost) break;
        innermost.key = String(JSON.parse(latestString));
        if (innermost.names.has(innermost.key)) repeatedPaths.push(openContainers.map(({ key }) => String(key)));
        innermost.names.add(innermost.key);
    }
  }
  return repeatedPaths;
}

/** Matches every number that a double might round, and some other texts, which only costs time. */
const inexactNumberPattern = /[0-9][.eE]|[0-9]{16}/;

function reviveNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === "number" ? (parseJsonInt64(source) ?? Number.NaN) : value;
}

/** TypeScript's types lack the third parameter of the reviver, and `rawJSON`. */
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
