import type { ReactNode } from "react";
import type { OrderStatus } from "../domain/order.ts";
import type { PetStatus } from "../domain/pet.ts";

/** Each has a colour and a shape, so that neither has to be seen to tell them apart. */
const shapes: Readonly<Record<PetStatus, ReactNode>> = {
  available: <circle cx="6" cy="6" r="5" />,
  pending: <path d="M6 .8 11.600 11H.4z" />,
  sold: <rect x="1.200" y="1.200" width="9.600" height="9.600" rx="1.500" />,
};

const ofOrders: Readonly<Record<OrderStatus, PetStatus>> = {
  placed: "pending",
  completed: "sold",
  cancelled: "available",
};

export function StatusShape({ status }: { status: PetStatus }) {
  return (
    <svg className={`shape ${status}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {shapes[status]}
    </svg>
  );
}

export function Status({ status }: { status: PetStatus }) {
  return (
    <span className="status">
      <StatusShape status={status} />
      {status}
    </span>
  );
}

export function OrderStatusMark({ status }: { status: OrderStatus }) {
  return (
    <span className="status">
      <StatusShape status={ofOrders[status]} />
      {status}
    </span>
  );
}
