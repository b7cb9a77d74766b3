import { orderFields } from "../../domain/order.ts";
import { int64Field, pageSchema } from "../fields.ts";
import { newResourceSchema, resourceSchema } from "../resource-schema.ts";

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

export const orderSchemas = [OrderStatus, NewOrder, Order, Orders];
