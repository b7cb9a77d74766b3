import { exampleOrder, Order } from "../../orders/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const orderCancelled = eventKind({
  type: "order.cancelled",
  subject: "orders",
  summary: "An order was cancelled",
  description:
    "An order was cancelled. The event of its animal, which became `available`, comes before, with the same `request`.",
  scope: "read",
  data: Order,
  changes: ["status", "updatedAt"],
  example: {
    data: { ...exampleOrder, status: "cancelled", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt },
  },
});
