import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Rule {
  readonly type: string | readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Refuses what matches all of these patterns. */
  readonly not?: { readonly pattern: string; readonly allOf: readonly { readonly pattern: string }[] };
}

/** Reads the rules of a body when the page is built, so that the page does not carry the whole document. */
export function documentRules(schema: string): Record<string, Rule> {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../../openapi.json"), "utf8"));
  const fields: [string, Record<string, unknown>][] = Object.entries(document.components.schemas[schema].properties);
  const keywords = ["type", "minLength", "maxLength", "pattern", "not"];
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      Object.fromEntries(keywords.filter((keyword) => keyword in field).map((keyword) => [keyword, field[keyword]])),
    ]),
  ) as unknown as Record<string, Rule>;
}
