import type { Int64 } from "../domain/int64.ts";
import type { PetFilter } from "../domain/pet.ts";

/** The columns that a filter narrows a list by, and to what; both engines call them the same. */
export function columnsOf({ id, categoryId, status }: PetFilter): [column: string, value: Int64 | string][] {
  const columns: [string, Int64 | string | undefined][] = [
    ["id", id],
    ["category_id", categoryId],
    ["status", status],
  ];
  return columns.flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]));
}
