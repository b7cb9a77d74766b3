import type { Pet, PetPatch } from "../../client/index.ts";
import { integerIn } from "../api/rules.ts";

/** An animal as it stands in a form. */
export interface Draft {
  readonly name: string;
  readonly categoryId: string;
  readonly status: Pet["status"];
}

export const draftFields = ["name", "categoryId", "status"] as const;

export function draftOf({ name, categoryId, status }: Pet): Draft {
  return { name, categoryId: String(categoryId), status };
}

/** Only what is different is sent, so that nobody's change of something else is undone. */
export function changesOf(pet: Pet, { name, categoryId, status }: Draft): PetPatch {
  const number = integerIn(categoryId);
  return {
    ...(name.trim() !== pet.name && name !== pet.name && { name: name.trim() }),
    ...(number !== undefined && number !== pet.categoryId && { categoryId: number }),
    ...(status !== pet.status && { status }),
  };
}

/** Whether somebody else has changed what was typed over: a field that is neither what it was nor what it is to be. */
export function isContested(draft: Draft, was: Draft, now: Pet): boolean {
  const is = draftOf(now);
  return draftFields.some(
    (field) => draft[field] !== was[field] && is[field] !== was[field] && is[field] !== draft[field],
  );
}

/** What somebody has made of an animal, on top of what it has become meanwhile: fields that were left alone are as they are now. */
export function rebase(draft: Draft, was: Draft, now: Pet): Draft {
  const is = draftOf(now);
  const field = <Name extends keyof Draft>(name: Name) => (draft[name] === was[name] ? is[name] : draft[name]);
  return { name: field("name"), categoryId: field("categoryId"), status: field("status") };
}
