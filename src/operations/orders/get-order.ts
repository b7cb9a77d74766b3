import { mapAwaitable } from "../../base/awaitable.ts";
import { presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { requireFound } from "../operation.ts";
import { exampleOrder, Order, orderIdParam } from "./schemas.ts";

export const getOrder = operation({
  id: "getOrder",
  endpoint: "GET /store/orders/:orderId",
  summary: "Get an order",
  description: "Returns a single order.",
  params: orderIdParam,
  success: { description: "The order.", schema: Order, examples: { order: ["An order", exampleOrder] } },
  handle: ({ params: { orderId } }, { store }) =>
    mapAwaitable(requireFound(store.orders.get(orderId), "order", orderId), presentOrder),
});
