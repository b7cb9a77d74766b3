import type { Int64 } from "./int64.ts";

export const petStatuses = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof petStatuses)[number];

/** What an animal is added with when its status is not given. */
export const defaultPetStatus: PetStatus = "available";

export interface NewPet {
  readonly name: string;
  readonly categoryId: Int64;
  readonly status: PetStatus;
}

export interface Pet extends NewPet {
  /** Ascends from 1, is never used again, and is never beyond 2^53 - 1. */
  readonly id: number;
}

/** Narrows a list of animals; an absent field does not narrow it. */
export interface PetFilter {
  readonly id?: Int64 | undefined;
  readonly categoryId?: Int64 | undefined;
  readonly status?: PetStatus | undefined;
}
