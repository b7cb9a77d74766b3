import { timeOfChange } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import { ServiceError } from "./errors.ts";
import { createPresenter, type NewValuesOf, type ResourceFields, type ValuesOf } from "./fields.ts";
import type { OneOrMore } from "./page.ts";
import { type Pet, type PetStatus, requireTransition } from "./pet.ts";

export const orderStatuses = ["placed", "completed", "cancelled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export type ClosedStatus = Exclude<OrderStatus, "placed">;

export const petStatusOfOrder: Readonly<Record<OrderStatus, PetStatus>> = {
  placed: "pending",
  completed: "sold",
  cancelled: "available",
};

export const orderFields = {
  id: { kind: "id" },
  petId: { kind: "id", set: "once" },
  status: { kind: "choice", of: orderStatuses },
  createdAt: { kind: "time" },
  updatedAt: { kind: "time" },
} as const satisfies ResourceFields;

/** An order for an animal. While the order is open, the animal has the status in `petStatusOfOrder`, and no other open order. */
export type Order = ValuesOf<typeof orderFields>;
export type NewOrder = NewValuesOf<typeof orderFields>;

export interface OrderFilter {
  readonly status?: OneOrMore<OrderStatus> | undefined;
  readonly petId?: Int64 | undefined;
}

export function reservePet(pet: Pet | undefined, id: Int64): Pet {
  if (!pet) throw new ServiceError("Conflict", `No animal has the id ${id}, so it cannot be ordered.`);
  const status = petStatusOfOrder.placed;
  requireTransition(pet.status, status, `Animal ${id} cannot be ordered because it is ${pet.status}.`);
  return { ...pet, status };
}

export function closeOrder(order: Order, status: ClosedStatus, at: number): Order {
  if (order.status !== "placed") {
    const message = `Order ${order.id} is already ${order.status}. Only an open order can be completed or cancelled.`;
    throw new ServiceError("Conflict", message);
  }
  return { ...order, status, updatedAt: timeOfChange(at, order.createdAt) };
}

export const presentOrder = createPresenter(orderFields);
