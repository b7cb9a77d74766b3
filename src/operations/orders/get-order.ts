import { noSuchOrder } from "../../domain/order.ts";
import { operation } from "../operation.ts";
import { exampleOrder, Order, orderIdParam, presentOrder } from "./schemas.ts";

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
  async handle({ params: { orderId } }, { store }) {
    const order = await store.orders.get(orderId);
    if (!order) throw noSuchOrder(orderId);
    return presentOrder(order);
  },
});
