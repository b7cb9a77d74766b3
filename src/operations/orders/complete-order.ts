import { presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { NoFields } from "../schema.ts";
import { exampleOrder, Order, orderIdParam } from "./schemas.ts";

export const completeOrder = operation({
  id: "completeOrder",
  method: "POST",
  path: "/store/orders/:orderId/complete",
  tag: "store",
  summary: "Complete an order",
  description:
    "Ends an open order with the sale of its animal, which becomes `sold` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  scope: "write",
  stability: "beta",
  params: orderIdParam,
  body: { schema: NoFields, isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "Order completed; the animal is `sold`.",
    schema: Order,
    examples: { completed: { summary: "The completed order", value: { ...exampleOrder, status: "completed" } } },
  },
  errors: ["Conflict"],
  current: { read: ({ params: { orderId } }, { store }) => store.orders.get(orderId), show: presentOrder },
  handle: async ({ params: { orderId }, expected }, { store, clock }) =>
    presentOrder(await store.orders.close(orderId, "completed", clock(), expected)),
});
