import { orderClosed, orderPlaced, petUpdated } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import {
  closeOrder,
  noSuchOrder,
  type Order,
  type OrderStatus,
  petStatusOfOrder,
  reservePet,
} from "../../domain/order.ts";
import type { Pet, PetStatus } from "../../domain/pet.ts";
import { orderConditions } from "../filter.ts";
import type { OrderStore } from "../store.ts";
import type { EventInbox } from "./events/event-inbox.ts";
import { readOne, readPage, type Source } from "./pages.ts";
import { lockPet } from "./pets.ts";
import type { Query } from "./query.ts";
import type { Perform } from "./work.ts";

export function orderStore(read: Query, perform: Perform, inbox: EventInbox): OrderStore {
  return {
    list: (filter, page) => readPage(read, orderSource, orderConditions(filter), page),
    get: (id) => readOne(read, orderSource, id),
    place: (petId, at) =>
      perform(async (query) => {
        const available = await lockPet(query, petId);
        const pet = reservePet(available, petId);
        await movePet(query, inbox, available, pet.status);
        const placed = { petId: pet.id, status: "placed", createdAt: at, updatedAt: at } as const;
        const [row] = await inbox.insert<OrderRow>(
          query,
          `INSERT INTO store.orders (pet_id, status, created_at, updated_at) VALUES ($1, 'placed', $2, $2)
           RETURNING ${orderSource.columns}`,
          [pet.id, at],
          orderPlaced(placed),
        );
        if (!row) throw new Error("An insert returned no order.");
        return orderSource.toItem(row);
      }),
    close: (id, status, at, expected) =>
      perform(async (query) => {
        const found = await readOne(query, orderSource, id);
        if (!found) throw noSuchOrder(id);
        requireExpected(found, expected);
        closeOrder(found, status, at);
        // While this waits, somebody else may close the order, and then remove its animal.
        const pet = await lockPet(query, found.petId);
        const current = (await readOne(query, orderSource, id)) ?? found;
        requireExpected(current, expected);
        const order = closeOrder(current, status, at);
        await movePet(query, inbox, pet, petStatusOfOrder[status]);
        await inbox.run(
          query,
          "UPDATE store.orders SET status = $2, updated_at = $3 WHERE id = $1",
          [order.id, order.status, order.updatedAt],
          orderClosed(current, order),
        );
        return order;
      }),
  };
}

/** Of an animal that is gone, there is nothing to move. */
async function movePet(query: Query, inbox: EventInbox, pet: Pet | undefined, status: PetStatus): Promise<void> {
  if (!pet) return;
  const changes = petUpdated(pet, { ...pet, status });
  await inbox.run(query, "UPDATE store.pets SET status = $2 WHERE id = $1", [pet.id, status], changes);
}

export const orderSource: Source<OrderRow, Order> = {
  table: "store.orders",
  columns: "id, pet_id, status, created_at, updated_at",
  toItem: ({ id, pet_id, status, created_at, updated_at }) => ({
    id: Number(id),
    petId: Number(pet_id),
    status,
    createdAt: Number(created_at),
    updatedAt: Number(updated_at),
  }),
};

interface OrderRow {
  readonly id: string;
  readonly pet_id: string;
  readonly status: OrderStatus;
  readonly created_at: string;
  readonly updated_at: string;
}
