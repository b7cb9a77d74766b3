import { toJson } from "../../src/base/json.ts";
import { petTransitions } from "../../src/domain/pet.ts";

export type PetStatus = "available" | "pending" | "sold";

export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}

export interface Order {
  readonly id: number;
  readonly petId: number;
  readonly status: "placed" | "completed" | "cancelled";
}

export interface Category {
  readonly id: number;
  readonly name: string;
}

export interface Key {
  readonly id: number;
  readonly name: string;
  readonly scope: "read" | "write" | "admin";
  readonly state: "active" | "retiring" | "revoked";
}

export interface IdempotencyRecord {
  readonly request: string;
  readonly response: string;
}

export interface State {
  readonly pets: Table<Pet>;
  readonly orders: Table<Order>;
  readonly categories: Table<Category>;
  readonly keys: Table<Key>;
  readonly records: Readonly<Record<string, IdempotencyRecord>>;
}

export type Table<Row> = Readonly<Record<number, Row>>;

export const emptyState: State = { pets: {}, orders: {}, categories: {}, keys: {}, records: {} };

export function rowsOf<Row extends { readonly id: number }>(table: Table<Row>): Row[] {
  return Object.values(table).sort((one, other) => one.id - other.id);
}

export function put<Name extends "pets" | "orders" | "categories" | "keys">(
  state: State,
  table: Name,
  row: State[Name][number],
): State {
  return { ...state, [table]: { ...state[table], [row.id]: row } };
}

export function remove(state: State, table: "pets" | "categories", id: number): State {
  const { [id]: _, ...rest } = state[table];
  return { ...state, [table]: rest };
}

export function openOrderOf({ orders }: State, petId: number): Order | undefined {
  return rowsOf(orders).find((order) => order.petId === petId && order.status === "placed");
}

export function canBecome(from: PetStatus, to: PetStatus): boolean {
  return petTransitions[from].includes(to);
}

/** Returns a text that is the same for equal states. */
export function serializeState({ records, ...rest }: State): string {
  const tables = Object.values(rest).map((table) => rowsOf(table as Table<{ id: number }>));
  return toJson([tables, Object.entries(records).sort()]);
}
