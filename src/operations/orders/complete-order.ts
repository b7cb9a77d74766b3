import { operation } from "../definition.ts";
import { defineClosing } from "./close-order.ts";

export const completeOrder = operation({
  ...defineClosing("completed"),
  id: "completeOrder",
  endpoint: "POST /store/orders/:orderId/complete",
  summary: "Complete an order",
  description:
    "Ends an open order with the sale of its animal, which becomes `sold` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
});
