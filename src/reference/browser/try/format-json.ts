/**
 * Lays out JSON with a line for each value. Numbers stay as they are written, which parsing would round beyond 2^53. Returns
 * undefined for a text that is not JSON, and in a browser that cannot keep numbers.
 */
export function layoutJson(text: string): string | undefined {
  if (!exactJson.rawJSON) return undefined;
  const keepNumber = (_: string, value: unknown, context: { readonly source?: string }) =>
    typeof value === "number" ? exactJson.rawJSON?.(context.source ?? "") : value;
  try {
    return JSON.stringify(exactJson.parse(text, keepNumber), null, 2);
  } catch {
    return undefined;
  }
}

/** The types of the language lack the third parameter of the reviver, and `rawJSON`. */
const exactJson = JSON as unknown as {
  rawJSON?(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};
