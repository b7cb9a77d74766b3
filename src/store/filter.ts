import type { Int64 } from "../base/int64.ts";
import type { OrderFilter } from "../domain/order.ts";
import type { OneOrMore } from "../domain/page.ts";
import { type PetFilter, petStatuses } from "../domain/pet.ts";

export type Conditions = [column: string, value: OneOrMore<Int64 | string>][];

/** True if a filter has an id, and a list of values for any column. Rows are then looked up by id, and compared with the other values. */
export function isIdFilterWithList(conditions: Conditions): boolean {
  return conditions.some(([column]) => column === "id") && conditions.some(([, value]) => isList(value));
}

export function isList<Value extends Int64 | string>(value: OneOrMore<Value>): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns the conditions of a filter. A filter by category alone gets all statuses, because the only index by category has the status. */
export function toPetConditions({ id, categoryId, status }: PetFilter): Conditions {
  const conditions: Conditions = [];
  if (id !== undefined) conditions.push(["id", id]);
  if (categoryId !== undefined) conditions.push(["category_id", categoryId]);
  const statuses = status ?? (categoryId !== undefined && id === undefined ? petStatuses : undefined);
  if (statuses !== undefined) conditions.push(["status", statuses]);
  return conditions;
}

export function toOrderConditions({ petId, status }: OrderFilter): Conditions {
  const conditions: Conditions = [];
  if (petId !== undefined) conditions.push(["pet_id", petId]);
  if (status !== undefined) conditions.push(["status", status]);
  return conditions;
}
