import type { Category, Int64 } from "../../../client/index.ts";
import type { NewPet } from "../../../domain/pet.ts";
import { complaintAbout, integerIn, rules } from "../../api/rules.ts";
import { complaintAboutCategory, plainName } from "../../categories/category-text.ts";
import { counted } from "../../parts/counted.ts";
import { draftWith, fieldNames, fieldTexts, petIn } from "../pet-fields.ts";
import type { Mapping, Sheet } from "./columns.ts";
import type { Row } from "./csv-file.ts";

/** What would come of a file; nothing of it is done yet. */
export interface Plan {
  readonly animals: readonly PlannedAnimal[];
  readonly rejects: readonly Reject[];
  /** The names of categories that have to be made first. */
  readonly newCategories: readonly string[];
}

export interface PlannedAnimal {
  readonly row: Row;
  readonly values: Omit<NewPet, "categoryId">;
  /** A number, or the plain name of a category that has to be created. */
  readonly category: Int64 | { readonly plain: string };
}

/** A row that is not added. */
export interface Reject {
  readonly row: Row;
  readonly reason: string;
}

/**
 * Checks every row by the rules of the forms. Names are taken as they are, spaces around them as well, so that what was exported
 * comes back as it was.
 */
export function planOf({ columns, rows }: Sheet, mapping: Mapping, categories: CategoryNames, makesNew: boolean): Plan {
  const animals: PlannedAnimal[] = [];
  const rejects: Reject[] = [];
  const made = new Map<string, string>();
  const found = new Map<string, Found>();
  for (const row of rows) {
    const { fields } = row;
    const problems = row.problem === undefined ? [] : [row.problem];
    if (row.problem === undefined && fields.length !== columns.length) {
      problems.push(
        `This line has ${counted(fields.length, "field")}, but the first line has ${counted(columns.length, "column")}.`,
      );
    }
    if (problems.length > 0) {
      rejects.push({ row, reason: problems.join(" ") });
      continue;
    }
    const textOf = (column: number | undefined) => (column === undefined ? "" : (fields[column] ?? ""));
    const texts = draftWith((field) => textOf(mapping[field]));
    const categoryText = texts.categoryId.trim();
    const category = found.get(categoryText) ?? categoryOf(categoryText, categories, makesNew);
    found.set(categoryText, category);
    const reason = fieldNames
      .map((field) => {
        const { label, complaintAbout } = fieldTexts[field];
        const complaint = field === "categoryId" ? category.complaint : complaintAbout(texts[field]);
        return complaint === undefined ? "" : `${label}: ${complaint}`;
      })
      .filter((complaint) => complaint !== "")
      .join(" ");
    if (reason !== "" || category.id === undefined) {
      rejects.push({ row, reason });
      continue;
    }
    if (category.newName !== undefined && !made.has(category.newName.plain)) {
      made.set(category.newName.plain, category.newName.title);
    }
    const { categoryId: _categoryId, ...values } = petIn(texts);
    animals.push({ row, values, category: category.id });
  }
  return { animals, rejects, newCategories: [...made.values()] };
}

/** Numbers of categories by their plain names; several may have the same. */
export type CategoryNames = ReadonlyMap<string, readonly Int64[]>;

export function categoryNames(categories: readonly Category[]): CategoryNames {
  const byName = new Map<string, Int64[]>();
  for (const { id, name } of categories) {
    const plain = plainName(name);
    const same = byName.get(plain);
    if (same) same.push(id);
    else byName.set(plain, [id]);
  }
  return byName;
}

interface Found {
  readonly id?: PlannedAnimal["category"];
  readonly newName?: { readonly plain: string; readonly title: string };
  readonly complaint?: string | undefined;
}

function categoryOf(text: string, categories: CategoryNames, makesNew: boolean): Found {
  const number = integerIn(text);
  if (number !== undefined) return { id: number };
  const plain = plainName(text);
  const [id, ...others] = categories.get(plain) ?? [];
  if (others.length > 0) return { complaint: "Several categories have this name. Use the number of the one you mean." };
  if (id !== undefined) return { id };
  // Spreadsheets write long numbers like 9.22E+18, of which nobody wants to make a name.
  const looksLikeNumber = /^[+-]?\d+([.,]\d+)*(e[+-]?\d+)?$/i.test(text);
  if (looksLikeNumber && !/^[+-]?\d+$/.test(text)) return { complaint: "Use a whole number, such as 7." };
  if (text === "" || looksLikeNumber || !makesNew) return { complaint: complaintAboutCategory(text) };
  const complaint = complaintAbout(rules.category["name"], text);
  return complaint === undefined ? { id: { plain }, newName: { plain, title: text } } : { complaint };
}
