/** Indents JSON without rounding its numbers. Returns undefined for text that is not JSON, and in older browsers. */
export function formatJson(text: string): string | undefined {
  if (!exactJson.rawJSON) return undefined;
  const keepNumber = (_: string, value: unknown, context: { readonly source?: string }) =>
    typeof value === "number" ? exactJson.rawJSON?.(context.source ?? "") : value;
  try {
    return JSON.stringify(exactJson.parse(text, keepNumber), null, 2);
  } catch {
    return undefined;
  }
}

/** TypeScript's types lack `rawJSON` and the third parameter of the reviver. */
const exactJson = JSON as unknown as {
  rawJSON?(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};
