import type { Category, Int64 } from "../../../packages/client/src/index.ts";
import { foldName } from "../../domain/folded-name.ts";
import { findComplaint, parseInteger, rules } from "../api/rules.ts";

/** Returns the id of a category by its number, or by its name if no other category has the same name. */
export function parseCategory(text: string, all: readonly Category[]): Int64 | undefined {
  const number = parseInteger(text);
  if (number !== undefined) return number;
  const matches = all.filter(({ name }) => isSameName(name, text));
  return matches.length === 1 ? matches[0]?.id : undefined;
}

export function filterCategories(all: readonly Category[], text: string): readonly Category[] {
  const prefix = foldCategoryName(text);
  return all
    .filter(({ id, name }) => ` ${foldCategoryName(name)}`.includes(` ${prefix}`) || String(id).startsWith(prefix))
    .slice(0, 50);
}

export function isSameName(one: string, other: string): boolean {
  return foldCategoryName(one) === foldCategoryName(other);
}

export function findCategoryComplaint(text: string): string | undefined {
  if (parseInteger(text) !== undefined) return undefined;
  if (text.trim() === "") return "Choose a category, or enter a number.";
  if (looksLikeNumber(text)) return findComplaint(rules.pet["categoryId"], text);
  return "No category has this name. Choose one, create it, or enter a number.";
}

/** True for a number in the notation of spreadsheets, such as 9.22E+18, which is not meant as a name. */
export function looksLikeNumber(text: string): boolean {
  return /^[+-]?\d+([.,]\d+)*(e[+-]?\d+)?$/i.test(text.trim());
}

/** Returns the name without the differences that name comparisons ignore, such as case, accents and outer spaces. */
export function foldCategoryName(text: string): string {
  return foldName(text).trim();
}
