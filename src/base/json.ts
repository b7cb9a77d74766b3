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

/**
 * Whether arrays and objects are nested deeper, or hold more in all, than any body of this interface needs: what is to be parsed
 * keeps all others waiting.
 */
export function excessIn(text: string): "depth" | "values" | undefined {
  if (text.length <= deepest) return undefined;
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") {
      if (++depth > deepest) return "depth";
      if (++values > mostValues) return "values";
    } else if (character === "}" || character === "]") depth--;
    else if (character === "," && ++values > mostValues) return "values";
  }
  return undefined;
}

export const deepest = 32;
export const mostValues = 100_000;

/**
 * The names that a valid JSON text gives more than once in the same object, each with the names and places that lead to it.
 * Parsing keeps the last of them in silence.
 */
export function repeatedNames(text: string): string[][] {
  const repeated: string[][] = [];
  const open: Container[] = [];
  for (let index = 0; index < text.length; index++) {
    const inner = open.at(-1);
    switch (text[index]) {
      case "{":
        open.push({ names: new Set(), place: "", isNameNext: true });
        break;
      case "[":
        open.push({ names: undefined, place: 0, isNameNext: false });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inner?.names) inner.isNameNext = true;
        else if (inner) inner.place = Number(inner.place) + 1;
        break;
      case '"': {
        const start = index++;
        while (text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
        if (!inner?.names || !inner.isNameNext) break;
        const name = String(JSON.parse(text.slice(start, index + 1)));
        inner.place = name;
        inner.isNameNext = false;
        if (inner.names.has(name)) repeated.push(open.map(({ place }) => String(place)));
        inner.names.add(name);
      }
    }
  }
  return repeated;
}

/** An object, with the names that it has so far, or an array. */
interface Container {
  readonly names: Set<string> | undefined;
  /** The name or the index of what comes next or is being read. */
  place: string | number;
  isNameNext: boolean;
}

/** Finds every number that a double might not hold as written; what else it finds only costs time. */
const mayRound = /[0-9][.eE]|[0-9]{16}/;

function exactNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === "number" ? (int64FromJson(source) ?? Number.NaN) : value;
}

/** The types of the language do not know yet of the reviver's third parameter and of `rawJSON`. */
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
