import type { PetPatch } from "../../../packages/client/src/index.ts";
import { namesOf } from "../../domain/fields.ts";
import { type NewPet, type Pet, petFields, petStatuses } from "../../domain/pet.ts";
import { findComplaint, parseInteger, rules } from "../api/rules.ts";
import { findCategoryComplaint } from "../categories/category-text.ts";

interface FieldText<Value> {
  readonly label: string;
  /** Column titles in imported lists that mean this field, in lower case without spaces, the preferred titles first. */
  readonly titles: readonly string[];
  /** Parses a valid text. */
  parse(text: string): Value | undefined;
  findComplaint(text: string): string | undefined;
}

export const fieldTexts: { readonly [Field in keyof NewPet]: FieldText<NewPet[Field]> } = {
  name: {
    label: "Name",
    titles: ["name", "animalname", "petname", "animal", "pet", "title"],
    parse: (text) => text,
    findComplaint: (text) => findComplaint(rules.pet["name"], text),
  },
  categoryId: {
    label: "Category",
    // Prefers a column with category numbers, because several categories may have the same name.
    titles: ["categoryid", "categorynumber", "category", "categoryname", "kind", "species", "type"],
    parse: parseInteger,
    findComplaint: findCategoryComplaint,
  },
  status: {
    label: "Status",
    titles: ["status", "state"],
    parse: (text) => petStatuses.find((status) => status === normalizeStatus(text)),
    findComplaint: (text) =>
      petStatuses.some((status) => status === normalizeStatus(text))
        ? undefined
        : `Use ${petStatuses.join(", ")}, or leave it empty.`,
  },
};

function normalizeStatus(text: string): string {
  return text.trim().toLowerCase() || petFields.status.default;
}

export const fieldNames = namesOf(fieldTexts);

export type Draft = Readonly<Record<keyof NewPet, string>>;

export function createDraft(getText: (field: keyof NewPet) => string): Draft {
  return Object.fromEntries(fieldNames.map((field) => [field, getText(field)])) as Draft;
}

export function toDraft(pet: Pet): Draft {
  return createDraft((field) => String(pet[field] ?? ""));
}

/** Converts a valid draft to an animal. Does not trim the name. */
export function toPet(draft: Draft): NewPet {
  return Object.fromEntries(
    fieldNames.map((field) => [field, fieldTexts[field].parse(draft[field])]),
  ) as unknown as NewPet;
}

export function trimDraft(draft: Draft): Draft {
  return createDraft((field) => draft[field].trim());
}

export function formatFieldText(field: keyof Draft, text: string, categories: ReadonlyMap<string, string>): string {
  return field === "categoryId" ? (categories.get(text) ?? text) : text;
}

/** Returns the complaints about a draft. Does not check fields that have the same values as in `pet`. */
export function findComplaints(draft: Draft, pet?: Pet): Partial<Record<keyof Draft, string>> {
  const original = pet && toDraft(pet);
  return Object.fromEntries(
    fieldNames
      .filter((field) => draft[field] !== original?.[field])
      .map((field) => [field, fieldTexts[field].findComplaint(draft[field].trim())])
      .filter(([, complaint]) => complaint !== undefined),
  );
}

/** Returns only the fields that the user has changed, so that saving does not revert other users' changes of other fields. */
export function findChanges(pet: Pet, draft: Draft): PetPatch {
  const original = toDraft(pet);
  const changes = fieldNames.flatMap((field) => {
    if (draft[field] === original[field]) return [];
    const value = fieldTexts[field].parse(draft[field].trim());
    return value === undefined || value === pet[field] ? [] : [[field, value]];
  });
  return Object.fromEntries(changes);
}

/** True if the draft and another user have changed the same field to different values. */
export function hasConflict(draft: Draft, original: Draft, now: Pet): boolean {
  const current = toDraft(now);
  return fieldNames.some(
    (field) =>
      draft[field] !== original[field] && current[field] !== original[field] && current[field] !== draft[field],
  );
}

/** Applies the edits of a draft, which began as `original`, to the current animal. */
export function rebase(draft: Draft, original: Draft, now: Pet): Draft {
  const current = toDraft(now);
  return createDraft((field) => (draft[field] === original[field] ? current[field] : draft[field]));
}
