import type { PetPatch } from "../../../packages/client/src/index.ts";
import { namesOf } from "../../domain/fields.ts";
import { type NewPet, type Pet, petFields, petStatuses } from "../../domain/pet.ts";
import { findComplaint, parseInteger, rules } from "../api/rules.ts";
import { findCategoryComplaint } from "../categories/category-text.ts";

/** The form of a field of an animal that people type and read. */
interface FieldText<Value> {
  readonly label: string;
  /** Titles of columns in imported lists that mean this field, without blanks and the best first. */
  readonly titles: readonly string[];
  /** Returns the value of a text without complaints. */
  valueOf(text: string): Value | undefined;
  findComplaint(text: string): string | undefined;
}

export const fieldTexts: { readonly [Field in keyof NewPet]: FieldText<NewPet[Field]> } = {
  name: {
    label: "Name",
    titles: ["name", "animalname", "petname", "animal", "pet", "title"],
    valueOf: (text) => text,
    findComplaint: (text) => findComplaint(rules.pet["name"], text),
  },
  categoryId: {
    label: "Category",
    // A number says for certain which category is meant.
    titles: ["categoryid", "categorynumber", "category", "categoryname", "kind", "species", "type"],
    valueOf: parseInteger,
    findComplaint: findCategoryComplaint,
  },
  status: {
    label: "Status",
    titles: ["status", "state"],
    valueOf: (text) => petStatuses.find((status) => status === statusText(text)),
    findComplaint: (text) =>
      petStatuses.some((status) => status === statusText(text))
        ? undefined
        : `Use ${petStatuses.join(", ")}, or leave it empty.`,
  },
};

function statusText(text: string): string {
  return text.trim().toLowerCase() || petFields.status.default;
}

export const fieldNames = namesOf(fieldTexts);

export type Draft = Readonly<Record<keyof NewPet, string>>;

export function createDraft(textOf: (field: keyof NewPet) => string): Draft {
  return Object.fromEntries(fieldNames.map((field) => [field, textOf(field)])) as Draft;
}

export function toDraft(pet: Pet): Draft {
  return createDraft((field) => String(pet[field] ?? ""));
}

/** Returns the animal that a draft without complaints describes. The name stays as it is, with any spaces around it. */
export function toPet(draft: Draft): NewPet {
  return Object.fromEntries(
    fieldNames.map((field) => [field, fieldTexts[field].valueOf(draft[field])]),
  ) as unknown as NewPet;
}

export function trimmed(draft: Draft): Draft {
  return createDraft((field) => draft[field].trim());
}

/** Returns the text that people read: a category has its name, if it has one. */
export function displayText(field: keyof Draft, text: string, categories: ReadonlyMap<string, string>): string {
  return field === "categoryId" ? (categories.get(text) ?? text) : text;
}

/** Returns the complaints about a draft; a field that is as it was in `pet` has none. */
export function findComplaints(draft: Draft, pet?: Pet): Partial<Record<keyof Draft, string>> {
  const was = pet && toDraft(pet);
  return Object.fromEntries(
    fieldNames.flatMap((field) => {
      const complaint =
        draft[field] === was?.[field] ? undefined : fieldTexts[field].findComplaint(draft[field].trim());
      return complaint === undefined ? [] : [[field, complaint]];
    }),
  );
}

/** Returns only the fields that differ, so that saving them does not revert what other users changed. */
export function changesOf(pet: Pet, draft: Draft): PetPatch {
  const was = toDraft(pet);
  const changed = fieldNames.flatMap((field) => {
    if (draft[field] === was[field]) return [];
    const value = fieldTexts[field].valueOf(draft[field].trim());
    return value === undefined || value === pet[field] ? [] : [[field, value]];
  });
  return Object.fromEntries(changed);
}

/** True if another user has changed a field that was edited here, to something else. */
export function hasConflict(draft: Draft, was: Draft, now: Pet): boolean {
  const is = toDraft(now);
  return fieldNames.some(
    (field) => draft[field] !== was[field] && is[field] !== was[field] && is[field] !== draft[field],
  );
}

/** Applies the edits of a draft to the current animal: fields that were not edited are as they are now. */
export function rebase(draft: Draft, was: Draft, now: Pet): Draft {
  const is = toDraft(now);
  return createDraft((field) => (draft[field] === was[field] ? is[field] : draft[field]));
}
