import { int64FromJson } from "./int64.ts";

/**
 * Parses JSON with its integers exact: those beyond 2^53 become bigints. A number that is no
 * integer, or no int64, becomes NaN, which no field takes. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, mayRound.test(text) ? (exactNumber as Reviver) : undefined);
}

/** Writes JSON with bigints digit for digit. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint throws. They are rare enough to make only those that hold one pay for the replacer.
    return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? rawJson(part.toString()) : part));
  }
}

/** Whether arrays and objects are nested deeper than any body of this interface needs. */
export function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") {
      if (++depth > deepest) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}

export const deepest = 32;

/** Finds every number that a double might not hold as written; what else it finds only costs time. */
const mayRound = /[0-9][.eE]|[0-9]{16}/;

function exactNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === "number" ? (int64FromJson(source) ?? Number.NaN) : value;
}

/** The types of the language do not know yet of the reviver's third parameter and of `rawJSON`. */
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
