import type { ReactNode } from "react";
import type { OrderStatus } from "../../domain/order.ts";
import type { PetStatus } from "../../domain/pet.ts";

const shapes: Readonly<Record<PetStatus | "cancelled", ReactNode>> = {
  available: <circle cx="6" cy="6" r="5" />,
  pending: <path d="M6 .8 11.6 11H.4z" />,
  sold: <rect x="1.2" y="1.2" width="9.6" height="9.6" rx="1.5" />,
  cancelled: <path d="M2 2 10 10M10 2 2 10" strokeWidth="2.5" />,
};

/** The shape of each order status: the shape of the animal's resulting status, except for a cancelled order. */
const orderShapes = { placed: "pending", completed: "sold", cancelled: "cancelled" } as const;

export function StatusShape({ status }: { status: keyof typeof shapes }) {
  return (
    <svg className={`shape ${status}`} viewBox="0 0 12 12" width="9" height="9" aria-hidden="true">
      {shapes[status]}
    </svg>
  );
}

export function Status({ status }: { status: PetStatus }) {
  return renderStatus(status, status);
}

export function OrderStatusMark({ status }: { status: OrderStatus }) {
  return renderStatus(orderShapes[status], status);
}

function renderStatus(shape: keyof typeof shapes, text: string) {
  return (
    <span className={`status ${shape}`}>
      <StatusShape status={shape} />
      {text}
    </span>
  );
}
