import { exampleOrder, Order } from "../../orders/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const orderPlaced = eventKind({
  type: "order.placed",
  subject: "orders",
  summary: "An order was placed",
  description:
    "An order was placed. The event of its animal, which became `pending`, comes before, with the same `request`.",
  scope: "read",
  data: Order,
  example: { data: exampleOrder },
});
