import { presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { getOrder } from "./get-order.ts";
import { exampleOrder, NewOrder, Order } from "./schemas.ts";

export const placeOrder = operation({
  id: "placeOrder",
  endpoint: "POST /store/orders",
  summary: "Place an order",
  description:
    "Orders an animal that is `available`, which becomes `pending` at the same time. Of many concurrent orders for one animal, exactly one is placed and the others get 409, as does an order for an animal that is not available or does not exist.",
  body: { schema: NewOrder, examples: { order: ["An animal by its id", { petId: 1 }] } },
  success: {
    status: 201,
    description: "Order placed; the animal is `pending`.",
    schema: Order,
    examples: { placed: ["The new order", exampleOrder] },
    location: { at: getOrder, params: ({ id }) => ({ orderId: id }) },
  },
  errors: ["Conflict"],
  handle: async ({ body }, { store, clock }) => presentOrder(await store.orders.place(body, clock())),
});
