import type { Int64 } from "../../base/int64.ts";
import type { Expectation } from "../../domain/expectation.ts";
import { type ClosedStatus, petStatusOfOrder, presentOrder, type Order as StoredOrder } from "../../domain/order.ts";
import type { Context } from "../operation.ts";
import { emptyBody } from "../schema.ts";
import { exampleOrder, Order, orderIdParam } from "./schemas.ts";

export const defineClosing = (status: ClosedStatus) =>
  ({
    params: orderIdParam,
    body: emptyBody,
    success: {
      description: `Order ${status}; the animal is \`${petStatusOfOrder[status]}\`.`,
      schema: Order,
      examples: { [status]: [`The ${status} order`, { ...exampleOrder, status }] },
    },
    errors: ["Conflict"],
    current: {
      read: ({ params: { orderId } }: OrderInput, { store }: Context) => store.orders.get(orderId),
      show: presentOrder,
    },
    handle: async ({ params: { orderId }, expected }: OrderInput, { store, clock }: Context) =>
      presentOrder(await store.orders.close(orderId, status, clock(), expected)),
  }) as const;

interface OrderInput {
  readonly params: { readonly orderId: Int64 };
  readonly expected?: Expectation<StoredOrder>;
}
