import type { NewPet } from "../../../domain/pet.ts";
import { fieldNames, fieldTexts } from "../pet-fields.ts";
import type { Row } from "./csv-file.ts";

/** The column of each field; undefined if there is none. */
export type Mapping = Readonly<Record<keyof NewPet, number | undefined>>;

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
  return mappingWith((_, place) => (place < columns.length ? place : undefined));
}

function guess(titles: readonly string[]): Mapping {
  const plain = titles.map((title) => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  return mappingWith((field) =>
    fieldTexts[field].titles.map((title) => plain.indexOf(title)).find((found) => found >= 0),
  );
}

function mappingWith(columnOf: (field: keyof NewPet, place: number) => number | undefined): Mapping {
  return Object.fromEntries(fieldNames.map((field, place) => [field, columnOf(field, place)])) as Mapping;
}
