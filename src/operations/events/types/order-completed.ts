import { exampleOrder, Order } from "../../orders/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const orderCompleted = eventKind({
  type: "order.completed",
  subject: "orders",
  summary: "An order was completed",
  description:
    "An order was completed. The event of its animal, which became `sold`, comes before, with the same `request`.",
  scope: "read",
  data: Order,
  changes: ["status", "updatedAt"],
  example: {
    data: { ...exampleOrder, status: "completed", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt },
  },
});
