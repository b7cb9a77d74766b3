import { orderClosed, orderPlaced, petUpdated } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import { closeOrder, noSuchOrder, petStatusOfOrder, reservePet } from "../../domain/order.ts";
import type { Pet, PetStatus } from "../../domain/pet.ts";
import { orderConditions } from "../filter.ts";
import type { OrderStore } from "../store.ts";
import { orderTable } from "../tables.ts";
import type { EventInbox } from "./events/event-inbox.ts";
import { readOne, readPage, sourceOf } from "./pages.ts";
import { lockPet } from "./pets.ts";
import type { Query } from "./query.ts";
import type { Perform } from "./work.ts";

export function orderStore(read: Query, perform: Perform, inbox: EventInbox): OrderStore {
  return {
    list: (filter, page) => readPage(read, orderSource, orderConditions(filter), page),
    get: (id) => readOne(read, orderSource, id),
    place: (order, at) =>
      perform(async (query) => {
        const available = await lockPet(query, order.petId);
        const pet = reservePet(available, order.petId);
        await movePet(query, inbox, available, pet.status);
        const placed = { ...order, petId: pet.id, status: "placed", createdAt: at, updatedAt: at } as const;
        return await inbox.insertItem(query, orderTable, orderSource, placed, orderPlaced(placed));
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

export const orderSource = sourceOf(orderTable);
