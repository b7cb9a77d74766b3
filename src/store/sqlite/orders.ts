import type { Database } from "bun:sqlite";
import { orderClosed, orderPlaced, petUpdated } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import { closeOrder, noSuchOrder, type Order, petStatusOfOrder, reservePet } from "../../domain/order.ts";
import type { OrderStore } from "../store.ts";
import { orderTable } from "../tables.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";
import { petReader } from "./pets.ts";
import { prepareInsert } from "./writer/inserts.ts";

export function orderReader(database: Database): PageReader<Order> {
  return new PageReader<Order>(database, orderTable);
}

export function prepareOrderWrites(database: Database) {
  const pets = petReader(database);
  const orders = orderReader(database);
  const movePet = database.prepare("UPDATE pets SET status = ?2 WHERE id = ?1");
  const insert = prepareInsert<Order>(database, orderTable);
  const update = database.prepare("UPDATE orders SET status = ?2, updated_at = ?3 WHERE id = ?1");

  return {
    placeOrder([placed, at]: Parameters<OrderStore["place"]>, log: Log): Order {
      const available = pets.get(placed.petId);
      const pet = reservePet(available, placed.petId);
      movePet.run(pet.id, pet.status);
      const order = insert({ ...placed, petId: pet.id, status: "placed", createdAt: at, updatedAt: at });
      log([...petUpdated(available ?? pet, pet), { ...orderPlaced(order), id: order.id }]);
      return order;
    },
    closeOrder([id, status, at, expected]: Parameters<OrderStore["close"]>, log: Log): Order {
      const found = orders.get(id);
      if (!found) throw noSuchOrder(id);
      requireExpected(found, expected);
      const order = closeOrder(found, status, at);
      const pet = pets.get(order.petId);
      movePet.run(order.petId, petStatusOfOrder[status]);
      update.run(order.id, order.status, order.updatedAt);
      const moved = pet ? petUpdated(pet, { ...pet, status: petStatusOfOrder[status] }) : [];
      log([...moved, ...orderClosed(found, order)]);
      return order;
    },
  };
}
