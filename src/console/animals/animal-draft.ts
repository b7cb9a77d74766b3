import type { Pet, PetPatch } from "../../client/index.ts";
import { type Draft, draftOf, draftWith, fieldNames, fieldTexts } from "./pet-fields.ts";

/** Returns only the fields that differ, so that saving them does not revert what other users changed. */
export function changesOf(pet: Pet, draft: Draft): PetPatch {
  const was = draftOf(pet);
  const changed = fieldNames.flatMap((field) => {
    if (draft[field] === was[field]) return [];
    const value = fieldTexts[field].valueOf(draft[field].trim());
    return value === undefined || value === pet[field] ? [] : [[field, value]];
  });
  return Object.fromEntries(changed);
}

/** True if another user has changed a field that was edited here, to something else. */
export function isContested(draft: Draft, was: Draft, now: Pet): boolean {
  const is = draftOf(now);
  return fieldNames.some(
    (field) => draft[field] !== was[field] && is[field] !== was[field] && is[field] !== draft[field],
  );
}

/** Applies the edits of a draft to the current animal: fields that were not edited are as they are now. */
export function rebase(draft: Draft, was: Draft, now: Pet): Draft {
  const is = draftOf(now);
  return draftWith((field) => (draft[field] === was[field] ? is[field] : draft[field]));
}
