import type { Category, Int64 } from "../../../../packages/client/src/index.ts";
import type { NewPet } from "../../../domain/pet.ts";
import { findComplaint, parseInteger, rules } from "../../api/rules.ts";
import { findCategoryComplaint, foldCategoryName, looksLikeNumber } from "../../categories/category-text.ts";
import { pluralize } from "../../parts/format-count.ts";
import { createDraft, fieldNames, fieldTexts, toPet } from "../pet-fields.ts";
import type { Row } from "./csv-file.ts";

export type ColumnMapping = Readonly<Record<keyof NewPet, number | undefined>>;

export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export function hasHeader(rows: readonly Row[]): boolean {
  return guessByTitles(rows[0]?.fields ?? []).name !== undefined;
}

export function toSheet(rows: readonly Row[], hasHeaderRow: boolean): Sheet {
  const first = rows[0]?.fields ?? [];
  const columns = first.map((field, index) => (hasHeaderRow && field.trim()) || `Column ${index + 1}`);
  return { columns, rows: hasHeaderRow ? rows.slice(1) : rows };
}

export function guessMapping({ columns }: Sheet, hasHeaderRow: boolean): ColumnMapping {
  if (hasHeaderRow) return guessByTitles(columns);
  return createMapping((_, position) => (position < columns.length ? position : undefined));
}

function guessByTitles(titles: readonly string[]): ColumnMapping {
  const words = titles.map((title) => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  return createMapping((field) =>
    fieldTexts[field].titles.map((title) => words.indexOf(title)).find((found) => found >= 0),
  );
}

function createMapping(findColumn: (field: keyof NewPet, position: number) => number | undefined): ColumnMapping {
  return Object.fromEntries(fieldNames.map((field, position) => [field, findColumn(field, position)])) as ColumnMapping;
}

export interface Plan {
  readonly animals: readonly PlannedAnimal[];
  readonly rejects: readonly Reject[];
  readonly newCategories: readonly string[];
}

export interface PlannedAnimal {
  readonly row: Row;
  readonly values: Omit<NewPet, "categoryId">;
  /** The id of an existing category, or the folded name of a new category. */
  readonly category: Int64 | { readonly folded: string };
}

export interface Reject {
  readonly row: Row;
  readonly reason: string;
}

/** Validates every row by the rules of the forms. Does not trim names, so that an exported list can be imported unchanged. */
export function planImport(
  { columns, rows }: Sheet,
  mapping: ColumnMapping,
  categories: CategoryIds,
  shouldCreateCategories: boolean,
): Plan {
  const animals: PlannedAnimal[] = [];
  const rejects: Reject[] = [];
  const newNames = new Map<string, string>();
  const cache = new Map<string, FoundCategory>();
  for (const row of rows) {
    const problem = row.problem ?? findLengthComplaint(row.fields.length, columns.length);
    if (problem !== undefined) {
      rejects.push({ row, reason: problem });
      continue;
    }
    const texts = createDraft((field) => row.fields[mapping[field] ?? -1] ?? "");
    const categoryText = texts.categoryId.trim();
    const category = cache.get(categoryText) ?? findCategory(categoryText, categories, shouldCreateCategories);
    cache.set(categoryText, category);
    const complaints = fieldNames.flatMap((field) => {
      const { label, findComplaint } = fieldTexts[field];
      const complaint = field === "categoryId" ? category.complaint : findComplaint(texts[field]);
      return complaint === undefined ? [] : `${label}: ${complaint}`;
    });
    if (complaints.length > 0 || category.id === undefined) {
      rejects.push({ row, reason: complaints.join(" ") });
      continue;
    }
    const { id } = category;
    if (typeof id === "object" && !newNames.has(id.folded)) newNames.set(id.folded, categoryText);
    const { categoryId: _categoryId, ...values } = toPet(texts);
    animals.push({ row, values, category: id });
  }
  return { animals, rejects, newCategories: [...newNames.values()] };
}

function findLengthComplaint(fields: number, columns: number): string | undefined {
  if (fields === columns) return undefined;
  return `This line has ${pluralize(fields, "field")}, but the first line has ${pluralize(columns, "column")}.`;
}

/** The ids of categories by folded name. Several categories may have the same name. */
type CategoryIds = ReadonlyMap<string, readonly Int64[]>;

export function groupIdsByName(categories: readonly Category[]): CategoryIds {
  const groups = Map.groupBy(categories, ({ name }) => foldCategoryName(name));
  return new Map([...groups].map(([name, group]) => [name, group.map(({ id }) => id)]));
}

interface FoundCategory {
  readonly id?: PlannedAnimal["category"];
  readonly complaint?: string | undefined;
}

function findCategory(text: string, categories: CategoryIds, shouldCreateCategories: boolean): FoundCategory {
  const number = parseInteger(text);
  if (number !== undefined) return { id: number };
  const folded = foldCategoryName(text);
  const [id, ...others] = categories.get(folded) ?? [];
  if (others.length > 0) return { complaint: "Several categories have this name. Use the number of the one you mean." };
  if (id !== undefined) return { id };
  const canBeNew = shouldCreateCategories && text !== "" && !looksLikeNumber(text);
  const complaint = canBeNew ? findComplaint(rules.category["name"], text) : findCategoryComplaint(text);
  return complaint === undefined ? { id: { folded } } : { complaint };
}
