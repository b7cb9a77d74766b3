import { mapAwaitable } from "../base/awaitable.ts";
import type { Int64 } from "../base/int64.ts";
import type { Expectation } from "../domain/expectation.ts";
import {
  type ClosedStatus,
  noSuchOrder,
  orderFields,
  orderStatuses,
  presentOrder,
  type Order as StoredOrder,
} from "../domain/order.ts";
import { type Inventory as Counts, mostCounted } from "../domain/pet.ts";
import { operation } from "./definition.ts";
import { beta, int64Field, limitField, objectSchema, pageSchema, severalOf, sortField } from "./fields.ts";
import { type Context, found, presentPage } from "./operation.ts";
import { newResourceSchema, resourceSchema } from "./resource-schema.ts";
import { type JsonSchema, NoFields } from "./schema.ts";

export const Order = resourceSchema("Order", "An order for one animal.", orderFields, {
  id: "Unique identifier assigned by the service. Ascends from 1 and is never reused.",
  petId: "Identifier of the animal. Once the order is completed or cancelled, the animal may have been deleted.",
  status: { $id: "OrderStatus", description: "`placed` means open; `completed` and `cancelled` are final." },
  createdAt: "When the order was placed.",
  updatedAt: "When the order last changed.",
});
export const OrderStatus = Order.properties.status;
export const NewOrder = newResourceSchema("NewOrder", "An order to place.", orderFields, {
  petId: "Identifier of the animal to order. It must be `available`.",
});

export const Orders = pageSchema("Orders", "A page of orders.", Order);

export const exampleOrder = {
  id: 1,
  petId: 1,
  status: "placed",
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z",
} as const;

export const orderIdParam = { orderId: int64Field("Identifier of the order.") } as const;

export const listOrders = operation({
  id: "listOrders",
  endpoint: "GET /store/orders",
  summary: "List orders",
  description:
    "Returns a paginated list of orders, ascending by `id` unless you `sort` it otherwise, with the same paging as the list of animals.",
  query: {
    limit: limitField,
    status: severalOf(
      {
        ...OrderStatus,
        description: "Returns only orders with this status, or with one of several that are separated by commas.",
      },
      orderStatuses.length,
    ),
    petId: int64Field("Returns only orders for this animal."),
    sort: sortField,
  },
  paged: true,
  success: {
    description: "A page of orders.",
    schema: Orders,
    examples: {
      page: { summary: "One order", value: [exampleOrder] },
      none: { summary: "No order matches", value: [] },
    },
  },
  handle({ query: { limit, sort, ...filter }, after }, { store }) {
    return presentPage(store.orders.list(filter, { limit, after, isDescending: sort === "-id" }), presentOrder);
  },
});

export const getOrder = operation({
  id: "getOrder",
  endpoint: "GET /store/orders/:orderId",
  summary: "Get an order",
  description: "Returns a single order.",
  params: orderIdParam,
  success: {
    description: "The order.",
    schema: Order,
    examples: { order: { summary: "An order", value: exampleOrder } },
  },
  errors: ["NotFound"],
  handle: ({ params: { orderId } }, { store }) =>
    mapAwaitable(
      found(store.orders.get(orderId), () => noSuchOrder(orderId)),
      presentOrder,
    ),
});

export const placeOrder = operation({
  id: "placeOrder",
  endpoint: "POST /store/orders",
  summary: "Place an order",
  description:
    "Orders an animal that is `available`, which becomes `pending` at the same time. Of many concurrent orders for one animal, exactly one is placed and the others get 409, as does an order for an animal that is not available or does not exist.",
  body: { schema: NewOrder, examples: { order: { summary: "An animal by its id", value: { petId: 1 } } } },
  success: {
    status: 201,
    description: "Order placed; the animal is `pending`.",
    schema: Order,
    examples: { placed: { summary: "The new order", value: exampleOrder } },
    location: { at: getOrder, params: ({ id }) => ({ orderId: id }) },
  },
  errors: ["Conflict"],
  handle: async ({ body }, { store, clock }) => presentOrder(await store.orders.place(body, clock())),
});

/** The part that the two ends of an open order share. */
const closing = (status: ClosedStatus) =>
  ({
    params: orderIdParam,
    body: { schema: NoFields, isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
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

export const completeOrder = operation({
  ...closing("completed"),
  id: "completeOrder",
  endpoint: "POST /store/orders/:orderId/complete",
  summary: "Complete an order",
  description:
    "Ends an open order with the sale of its animal, which becomes `sold` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  success: {
    description: "Order completed; the animal is `sold`.",
    schema: Order,
    examples: { completed: { summary: "The completed order", value: { ...exampleOrder, status: "completed" } } },
  },
});

export const cancelOrder = operation({
  ...closing("cancelled"),
  id: "cancelOrder",
  endpoint: "POST /store/orders/:orderId/cancel",
  summary: "Cancel an order",
  description:
    "Ends an open order without a sale; its animal becomes `available` at the same time. An order that is no longer open gets 409. With `If-Match`, nothing is changed if the order has changed since you read it.",
  success: {
    description: "Order cancelled; the animal is `available`.",
    schema: Order,
    examples: { cancelled: { summary: "The cancelled order", value: { ...exampleOrder, status: "cancelled" } } },
  },
});

const count = { type: "integer", minimum: 0 } as const;

export const Inventory = objectSchema("Inventory", "The number of animals with each status.", {
  available: { ...count, description: "Animals that can be ordered." },
  pending: { ...count, description: "Animals that are reserved." },
  sold: { ...count, description: "Animals that are sold." },
} satisfies Record<keyof Counts, JsonSchema>);

export const getInventory = operation({
  id: "getInventory",
  endpoint: "GET /store/inventory",
  summary: "Count the animals",
  description:
    "Returns the number of animals with each status, all at one point in time. It takes the same time however many there are.",
  query: {
    categoryId: beta(
      int64Field(
        `Counts only animals of this category, up to ${mostCounted} with each status: a count of ${mostCounted} stands for that many or more.`,
      ),
    ),
  },
  stability: "experimental",
  success: {
    description: "The counts.",
    schema: Inventory,
    examples: { counts: { summary: "A small store", value: { available: 12, pending: 2, sold: 30 } } },
  },
  handle: ({ query: { categoryId } }, { store }) =>
    categoryId === undefined ? store.inventory() : store.inventoryOf(categoryId),
});

export const storeOperations = [listOrders, placeOrder, getOrder, completeOrder, cancelOrder, getInventory];
export const storeSchemas = [OrderStatus, NewOrder, Order, Orders, Inventory];
