import { orderStatuses } from "../../domain/order.ts";
import { idField, int64Field, largestLimit, timeField } from "../fields.ts";
import { expects } from "../schema.ts";

export const OrderStatus = {
  $id: "OrderStatus",
  type: "string",
  enum: orderStatuses,
  description: "`placed` means open; `completed` and `cancelled` are final.",
  [expects]: `one of ${orderStatuses.join(", ")}`,
} as const;

export const NewOrder = {
  $id: "NewOrder",
  type: "object",
  description: "An order to place.",
  required: ["petId"],
  properties: { petId: int64Field("Identifier of the animal to order. It must be `available`.") },
} as const;

export const Order = {
  $id: "Order",
  type: "object",
  description: "An order for one animal.",
  required: ["id", "petId", "status", "createdAt", "updatedAt"],
  properties: {
    id: idField("Unique identifier assigned by the service. Ascends from 1 and is never reused."),
    petId: idField(
      "Identifier of the animal. Once the order is completed or cancelled, the animal may have been deleted.",
    ),
    status: OrderStatus,
    createdAt: timeField("When the order was placed."),
    updatedAt: timeField("When the order last changed."),
  },
} as const;

export const Orders = {
  $id: "Orders",
  type: "array",
  description: "A page of orders.",
  maxItems: largestLimit,
  items: Order,
} as const;

export const exampleOrder = {
  id: 1,
  petId: 1,
  status: "placed",
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z",
} as const;

export const orderIdParam = { orderId: int64Field("Identifier of the order.") } as const;
