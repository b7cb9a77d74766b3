import { type Int64, parseInt64 } from "../../base/int64.ts";
import { readDocumentRules } from "./document-rules.ts" with { type: "macro" };
import type { Rule } from "./document-rules.ts";

export const rules = {
  pet: readDocumentRules("NewPet"),
  category: readDocumentRules("NewCategory"),
  key: readDocumentRules("NewKey"),
  webhook: readDocumentRules("NewWebhook"),
};

export function findComplaint(rule: Rule | undefined, text: string): string | undefined {
  if (!rule) return undefined;
  return rule.type === "integer" ? findIntegerComplaint(text) : findTextComplaint(rule, text);
}

export function parseInteger(text: string): Int64 | undefined {
  const [, sign = "", digits = ""] = /^([+-]?)0*([0-9]+)$/.exec(text.trim()) ?? [];
  return parseInt64((sign === "-" && digits !== "0" ? "-" : "") + digits);
}

function findIntegerComplaint(text: string): string | undefined {
  if (parseInteger(text) !== undefined) return undefined;
  if (text.trim() === "") return "Enter a number.";
  if (!/^[+-]?[0-9]+$/.test(text.trim())) return "Enter a whole number, such as 7.";
  return "Enter a number from -9223372036854775808 to 9223372036854775807.";
}

function findTextComplaint({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, not }: Rule, text: string) {
  const { length } = [...text];
  if (length < minLength || (minLength > 0 && text.trim() === "")) return "Enter a name.";
  if (length > maxLength) return `Use at most ${maxLength} characters; this has ${length}.`;
  if (pattern !== undefined && !compilePattern(pattern).test(text)) return "Remove the control characters.";
  const isInvisible = not && [not, ...not.allOf].every((refused) => compilePattern(refused.pattern).test(text));
  if (isInvisible || !text.isWellFormed()) return "Enter at least one visible character.";
  return undefined;
}

/** Compiles each pattern once, because an import validates thousands of names. */
function compilePattern(pattern: string): RegExp {
  const compiled = patterns.get(pattern) ?? new RegExp(pattern, "u");
  patterns.set(pattern, compiled);
  return compiled;
}

const patterns = new Map<string, RegExp>();
