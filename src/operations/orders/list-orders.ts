import { orderStatuses, presentOrder } from "../../domain/order.ts";
import { operation } from "../definition.ts";
import { int64Field, limitField, sortField, toCommaSeparatedField } from "../fields.ts";
import { presentPage } from "../operation.ts";
import { exampleOrder, OrderStatus, Orders } from "./schemas.ts";

const statusDescription = "Returns only orders with this status, or with one of several that are separated by commas.";

export const listOrders = operation({
  id: "listOrders",
  endpoint: "GET /store/orders",
  summary: "List orders",
  description:
    "Returns a paginated list of orders, ascending by `id` unless you `sort` it otherwise, with the same paging as the list of animals.",
  query: {
    limit: limitField,
    status: toCommaSeparatedField({ ...OrderStatus, description: statusDescription }, orderStatuses.length),
    petId: int64Field("Returns only orders for this animal."),
    sort: sortField,
  },
  isPaged: true,
  success: {
    description: "A page of orders.",
    schema: Orders,
    examples: { page: ["One order", [exampleOrder]], none: ["No order matches", []] },
  },
  handle: ({ query: { limit, sort, ...filter }, after }, { store }) =>
    presentPage(store.orders.list(filter, { limit, after, isDescending: sort === "-id" }), presentOrder),
});
