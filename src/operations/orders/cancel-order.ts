import { operation } from "../definition.ts";
import { defineClosing } from "./close-order.ts";

export const cancelOrder = operation({
  ...defineClosing("cancelled"),
  id: "cancelOrder",
  endpoint: "POST /store/orders/:orderId/cancel",
  summary: "Cancel an order",
  description:
    "Ends an open order without a sale; its animal becomes `available` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
});
