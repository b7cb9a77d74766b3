import type { Int64 } from "../base/int64.ts";
import { ServiceError } from "./errors.ts";

/** A name for what animals call by a number alone. */
export interface Category {
  readonly id: Int64;
  readonly name: string;
}

/** What a list of categories is narrowed to. */
export interface CategoryFilter {
  /** The start of their names, compared after folding. Such a list is in the order of the folded names. */
  readonly name?: string | undefined;
}

export function noSuchCategory(id: Int64): ServiceError {
  return new ServiceError("NotFound", `No category has the id ${id}.`);
}
