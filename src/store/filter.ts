import type { Int64 } from "../domain/int64.ts";
import type { OrderFilter } from "../domain/order.ts";
import type { PetFilter } from "../domain/pet.ts";

/** What a list is narrowed to: columns, which both engines call the same, and their values. */
export type Conditions = [column: string, value: Int64 | string][];

export function petConditions({ id, categoryId, status }: PetFilter): Conditions {
  return given([
    ["id", id],
    ["category_id", categoryId],
    ["status", status],
  ]);
}

export function orderConditions({ status, petId }: OrderFilter): Conditions {
  return given([
    ["pet_id", petId],
    ["status", status],
  ]);
}

function given(columns: [string, Int64 | string | undefined][]): Conditions {
  return columns.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]));
}
