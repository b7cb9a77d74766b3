import type { Row } from "./csv-file.ts";

/** What an animal is made of. */
export const parts = ["name", "category", "status"] as const;
export type Part = (typeof parts)[number];

/** The column of each part; undefined if there is none. */
export type Mapping = Readonly<Record<Part, number | undefined>>;

/** A file as a table. */
export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Whether the first row names the columns, as far as its words tell. */
export function hasTitles(rows: readonly Row[]): boolean {
  return guess(rows[0]?.fields ?? []).name !== undefined;
}

export function sheetOf(rows: readonly Row[], isTitled: boolean): Sheet {
  const first = rows[0]?.fields ?? [];
  const columns = first.map((field, index) => (isTitled && field.trim()) || `Column ${index + 1}`);
  return { columns, rows: isTitled ? rows.slice(1) : rows };
}

/** Which columns are meant, by their titles, or else by their order. */
export function mappingOf({ columns }: Sheet, isTitled: boolean): Mapping {
  if (isTitled) return guess(columns);
  const at = (index: number) => (index < columns.length ? index : undefined);
  return { name: at(0), category: at(1), status: at(2) };
}

function guess(titles: readonly string[]): Mapping {
  const plain = titles.map((title) => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  const find = (part: Part) => {
    const index = words[part].map((word) => plain.indexOf(word)).find((found) => found >= 0);
    return index;
  };
  return { name: find("name"), category: find("category"), status: find("status") };
}

/** The best first: a number says for certain which category is meant. */
const words: Readonly<Record<Part, readonly string[]>> = {
  name: ["name", "animalname", "petname", "animal", "pet", "title"],
  category: ["categoryid", "categorynumber", "category", "categoryname", "kind", "species", "type"],
  status: ["status", "state"],
};
