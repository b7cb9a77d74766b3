import type { Category, Int64 } from "../../../../packages/client/src/index.ts";
import type { NewPet } from "../../../domain/pet.ts";
import { findComplaint, parseInteger, rules } from "../../api/rules.ts";
import { findCategoryComplaint, foldCategoryName } from "../../categories/category-text.ts";
import { pluralize } from "../../parts/format-count.ts";
import { createDraft, fieldNames, fieldTexts, toPet } from "../pet-fields.ts";
import type { Row } from "./csv-file.ts";

export type Mapping = Readonly<Record<keyof NewPet, number | undefined>>;

export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Returns true if the words of the first row look like titles of columns. */
export function hasHeader(rows: readonly Row[]): boolean {
  return guess(rows[0]?.fields ?? []).name !== undefined;
}

export function toSheet(rows: readonly Row[], isTitled: boolean): Sheet {
  const first = rows[0]?.fields ?? [];
  const columns = first.map((field, index) => (isTitled && field.trim()) || `Column ${index + 1}`);
  return { columns, rows: isTitled ? rows.slice(1) : rows };
}

/** Finds the column of each field by its title, or else by its position. */
export function guessMapping({ columns }: Sheet, isTitled: boolean): Mapping {
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

export interface Plan {
  readonly animals: readonly PlannedAnimal[];
  readonly rejects: readonly Reject[];
  readonly newCategories: readonly string[];
}

export interface PlannedAnimal {
  readonly row: Row;
  readonly values: Omit<NewPet, "categoryId">;
  /** The id of a category, or the plain name of a new one. */
  readonly category: Int64 | { readonly plain: string };
}

export interface Reject {
  readonly row: Row;
  readonly reason: string;
}

/** Checks every row by the rules of the forms. Names keep the spaces around them, so that an exported list comes back unchanged. */
export function planImport(
  { columns, rows }: Sheet,
  mapping: Mapping,
  categories: CategoryNames,
  makesNew: boolean,
): Plan {
  const animals: PlannedAnimal[] = [];
  const rejects: Reject[] = [];
  const made = new Map<string, string>();
  const found = new Map<string, Found>();
  for (const row of rows) {
    const problem = row.problem ?? complaintAboutLength(row.fields.length, columns.length);
    if (problem !== undefined) {
      rejects.push({ row, reason: problem });
      continue;
    }
    const texts = createDraft((field) => row.fields[mapping[field] ?? -1] ?? "");
    const categoryText = texts.categoryId.trim();
    const category = found.get(categoryText) ?? categoryOf(categoryText, categories, makesNew);
    found.set(categoryText, category);
    const complaints = fieldNames.flatMap((field) => {
      const { label, findComplaint } = fieldTexts[field];
      const complaint = field === "categoryId" ? category.complaint : findComplaint(texts[field]);
      return complaint === undefined ? [] : `${label}: ${complaint}`;
    });
    if (complaints.length > 0 || category.id === undefined) {
      rejects.push({ row, reason: complaints.join(" ") });
      continue;
    }
    const { newName } = category;
    if (newName && !made.has(newName.plain)) made.set(newName.plain, newName.title);
    const { categoryId: _categoryId, ...values } = toPet(texts);
    animals.push({ row, values, category: category.id });
  }
  return { animals, rejects, newCategories: [...made.values()] };
}

function complaintAboutLength(fields: number, columns: number): string | undefined {
  if (fields === columns) return undefined;
  return `This line has ${pluralize(fields, "field")}, but the first line has ${pluralize(columns, "column")}.`;
}

/** Ids of categories by their plain names; several categories may have the same name. */
type CategoryNames = ReadonlyMap<string, readonly Int64[]>;

export function idsByName(categories: readonly Category[]): CategoryNames {
  const byName = new Map<string, Int64[]>();
  for (const { id, name } of categories) {
    const plain = foldCategoryName(name);
    byName.set(plain, [...(byName.get(plain) ?? []), id]);
  }
  return byName;
}

interface Found {
  readonly id?: PlannedAnimal["category"];
  readonly newName?: { readonly plain: string; readonly title: string };
  readonly complaint?: string | undefined;
}

function categoryOf(text: string, categories: CategoryNames, makesNew: boolean): Found {
  const number = parseInteger(text);
  if (number !== undefined) return { id: number };
  const plain = foldCategoryName(text);
  const [id, ...others] = categories.get(plain) ?? [];
  if (others.length > 0) return { complaint: "Several categories have this name. Use the number of the one you mean." };
  if (id !== undefined) return { id };
  // Spreadsheets write long numbers like 9.22E+18; such a text is no name.
  const looksLikeNumber = /^[+-]?\d+([.,]\d+)*(e[+-]?\d+)?$/i.test(text);
  if (looksLikeNumber && !/^[+-]?\d+$/.test(text)) return { complaint: "Use a whole number, such as 7." };
  if (text === "" || looksLikeNumber || !makesNew) return { complaint: findCategoryComplaint(text) };
  const complaint = findComplaint(rules.category["name"], text);
  return complaint === undefined ? { id: { plain }, newName: { plain, title: text } } : { complaint };
}
