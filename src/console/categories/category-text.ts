import type { Category, Int64 } from "../../../packages/client/src/index.ts";
import { foldName } from "../../domain/folded-name.ts";
import { parseInteger } from "../api/rules.ts";

/** Returns the category that a text means: by its number, or by its name if that is unique. */
export function parseCategory(text: string, all: readonly Category[]): Int64 | undefined {
  const number = parseInteger(text);
  if (number !== undefined) return number;
  const named = all.filter(({ name }) => isSameName(name, text));
  return named.length === 1 ? named[0]?.id : undefined;
}

/** Returns the categories of which a word of the name, or the number, starts with the text. */
export function matchingCategories(all: readonly Category[], text: string): readonly Category[] {
  const wanted = foldCategoryName(text);
  return all
    .filter(({ id, name }) => ` ${foldCategoryName(name)}`.includes(` ${wanted}`) || String(id).startsWith(wanted))
    .slice(0, 50);
}

export function isSameName(one: string, other: string): boolean {
  return foldCategoryName(one) === foldCategoryName(other);
}

export function findCategoryComplaint(text: string): string | undefined {
  if (parseInteger(text) !== undefined) return undefined;
  if (text.trim() === "") return "Choose a category, or enter a number.";
  if (/^[+-]?\d+$/.test(text.trim())) return "Enter a number from -9223372036854775808 to 9223372036854775807.";
  return "No category has this name. Choose one, create it, or enter a number.";
}

/** Folds a name like the store, and trims it. Readers see the same name in texts with the same result. */
export function foldCategoryName(text: string): string {
  return foldName(text).trim();
}
