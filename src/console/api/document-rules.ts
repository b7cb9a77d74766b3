import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Rule {
  readonly type: string | readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Rejects a text that matches both `pattern` and every pattern in `allOf`. */
  readonly not?: { readonly pattern: string; readonly allOf: readonly { readonly pattern: string }[] };
}

/** Reads the validation rules of a schema at build time, so that the bundle does not contain the whole OpenAPI document. */
export function readDocumentRules(schema: string): Record<string, Rule> {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../../openapi.json"), "utf8"));
  const fields: [string, object][] = Object.entries(document.components.schemas[schema].properties);
  const keywords = ["type", "minLength", "maxLength", "pattern", "not"];
  const toRule = (field: object) =>
    Object.fromEntries(Object.entries(field).filter(([name]) => keywords.includes(name)));
  return Object.fromEntries(fields.map(([name, field]) => [name, toRule(field) as Rule]));
}
