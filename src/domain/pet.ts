import type { Int64 } from "../base/int64.ts";
import { ServiceError } from "./errors.ts";
import { type ChangesOf, type NewValuesOf, type ResourceFields, type ValuesOf, withChanges } from "./fields.ts";
import type { OneOrMore } from "./page.ts";

export const petStatuses = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof petStatuses)[number];

export const petTransitions: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  available: ["pending"],
  pending: ["available", "sold"],
  sold: ["available"],
};

/** Ids ascend from 1, are never reused, and never exceed 2^53 - 1. */
export const petFields = {
  id: { kind: "id" },
  name: { kind: "name", maxLength: 255, set: "always" },
  categoryId: { kind: "int64", set: "always" },
  status: { kind: "choice", of: petStatuses, default: "available", set: "always" },
} as const satisfies ResourceFields;

export type Pet = ValuesOf<typeof petFields>;
export type NewPet = NewValuesOf<typeof petFields>;
export type PetChanges = ChangesOf<typeof petFields>;

export interface PetFilter {
  readonly id?: OneOrMore<Int64> | undefined;
  readonly categoryId?: Int64 | undefined;
  readonly status?: OneOrMore<PetStatus> | undefined;
  /** Prefix of the names to find, compared after folding. A list with this filter is in the order of the folded names. */
  readonly name?: string | undefined;
}

export type Inventory = Readonly<Record<PetStatus, number>>;

/** Maximum count of each status in the inventory of a category. */
export const maxInventoryCount = 1_000;

export function changePet(pet: Pet, changes: PetChanges, openOrderId: number | undefined): Pet {
  const changed = withChanges(pet, changes);
  if (changed.status === pet.status) return changed;
  if (openOrderId !== undefined) {
    const message = `Animal ${pet.id} has the open order ${openOrderId}, which controls its status. Complete or cancel the order instead.`;
    throw new ServiceError("Conflict", message);
  }
  requireTransition(pet.status, changed.status, `Animal ${pet.id} is ${pet.status}.`);
  return changed;
}

export function requireTransition(from: PetStatus, to: PetStatus, reason: string): void {
  if (petTransitions[from].includes(to)) return;
  const allowed = petTransitions[from].join(" or ");
  throw new ServiceError("Conflict", `${reason} Its next status can be ${allowed}, not ${to}.`);
}

export function requireNoOpenOrder(id: Int64, openOrderId: number | undefined): void {
  if (openOrderId === undefined) return;
  const message = `Animal ${id} has the open order ${openOrderId}. Complete or cancel the order first.`;
  throw new ServiceError("Conflict", message);
}
