import { type Int64, int64FromText } from "../domain/int64.ts";
import { documentRules } from "./document-rules.ts" with { type: "macro" };
import type { Rule } from "./document-rules.ts";

/** The same rules as the server's, from the same document. */
export const rules = {
  pet: documentRules("NewPet"),
  category: documentRules("NewCategory"),
  key: documentRules("NewKey"),
};

/** What is wrong with the text of a field, in the server's words; undefined if nothing is. */
export function complaintAbout(name: string, rule: Rule | undefined, text: string): string | undefined {
  return !rule || accepts(rule, text) ? undefined : `${name} must be ${rule["x-expects"]}.`;
}

/** The integer that a text stands for, exact to 64 bits. */
export function integerIn(text: string): Int64 | undefined {
  return int64FromText(text.trim());
}

function accepts(rule: Rule, text: string): boolean {
  if (rule.type === "integer") return integerIn(text) !== undefined;
  const { length } = [...text];
  if (rule.minLength !== undefined && length < rule.minLength) return false;
  if (rule.maxLength !== undefined && length > rule.maxLength) return false;
  return rule.pattern === undefined || new RegExp(rule.pattern, "u").test(text);
}
