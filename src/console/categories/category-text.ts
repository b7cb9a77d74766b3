import type { Category, Int64 } from "../../client/index.ts";
import { foldName } from "../../domain/folded-name.ts";
import { integerIn } from "../api/rules.ts";

/** The category that a text stands for: by its number, or by its name if only one is called so. */
export function categoryIn(text: string, all: readonly Category[]): Int64 | undefined {
  const number = integerIn(text);
  if (number !== undefined) return number;
  const named = all.filter(({ name }) => sameName(name, text));
  return named.length === 1 ? named[0]?.id : undefined;
}

/** Those whose name has a word that begins like the text, or whose number does; all of them for no text. */
export function matchingCategories(all: readonly Category[], text: string): readonly Category[] {
  const wanted = plainName(text);
  return all
    .filter(({ id, name }) => ` ${plainName(name)}`.includes(` ${wanted}`) || String(id).startsWith(wanted))
    .slice(0, most);
}

export function sameName(one: string, other: string): boolean {
  return plainName(one) === plainName(other);
}

/** What is wrong with the text as a category, for people; undefined if nothing is. */
export function complaintAboutCategory(text: string): string | undefined {
  if (integerIn(text) !== undefined) return undefined;
  if (text.trim() === "") return "Choose a category, or enter a number.";
  if (/^[+-]?\d+$/.test(text.trim())) return "Enter a number from -9223372036854775808 to 9223372036854775807.";
  return "No category has this name. Choose one, create it, or enter a number.";
}

/** A name folded as the store does, without the spaces around it. Categories with the same one have the same name to readers. */
export function plainName(text: string): string {
  return foldName(text).trim();
}

const most = 50;
