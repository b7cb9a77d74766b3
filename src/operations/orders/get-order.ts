import { mapAwaitable } from "../../base/awaitable.ts";
import { noSuchOrder, presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { exampleOrder, Order, orderIdParam } from "./schemas.ts";

export const getOrder = operation({
  id: "getOrder",
  method: "GET",
  path: "/store/orders/:orderId",
  tag: "store",
  summary: "Get an order",
  description: "Returns a single order.",
  scope: "read",
  stability: "beta",
  params: orderIdParam,
  success: {
    status: 200,
    description: "The order.",
    schema: Order,
    examples: { order: { summary: "An order", value: exampleOrder } },
  },
  errors: ["NotFound"],
  handle({ params: { orderId } }, { store }) {
    const order = found(store.orders.get(orderId), () => noSuchOrder(orderId));
    return mapAwaitable(order, presentOrder);
  },
});
