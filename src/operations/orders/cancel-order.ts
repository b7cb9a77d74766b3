import { presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { NoFields } from "../schema.ts";
import { exampleOrder, Order, orderIdParam } from "./schemas.ts";

export const cancelOrder = operation({
  id: "cancelOrder",
  method: "POST",
  path: "/store/orders/:orderId/cancel",
  tag: "store",
  summary: "Cancel an order",
  description:
    "Ends an open order without a sale; its animal becomes `available` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  scope: "write",
  stability: "beta",
  params: orderIdParam,
  body: { schema: NoFields, isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
    description: "Order cancelled; the animal is `available`.",
    schema: Order,
    examples: { cancelled: { summary: "The cancelled order", value: { ...exampleOrder, status: "cancelled" } } },
  },
  errors: ["Conflict"],
  current: { read: ({ params: { orderId } }, { store }) => store.orders.get(orderId), show: presentOrder },
  handle: async ({ params: { orderId }, expected }, { store, clock }) =>
    presentOrder(await store.orders.close(orderId, "cancelled", clock(), expected)),
});
