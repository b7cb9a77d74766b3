import { describe, expect } from "bun:test";
import { ServiceError } from "../../../src/domain/errors.ts";
import { petStatusOfOrder } from "../../../src/domain/order.ts";
import { type NewPet, petStatuses, petTransitions } from "../../../src/domain/pet.ts";
import { testWith } from "../../support/test-with.ts";
import { getRefusal, type Open } from "./under-test.ts";

export function describeOrders(name: string, open: Open): void {
  const it = testWith(open);
  const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };

  describe(`${name} stores orders`, () => {
    it("an order reserves its animal, and then sells or releases it", async ({ store: { pets, orders } }) => {
      for (const status of ["completed", "cancelled"] as const) {
        const pet = await pets.create(rex);
        const order = await orders.place({ petId: pet.id }, 1000);
        expect(order).toEqual({ id: order.id, petId: pet.id, status: "placed", createdAt: 1000, updatedAt: 1000 });
        expect(await orders.get(order.id)).toEqual(order);
        expect(await pets.get(pet.id)).toEqual({ ...pet, status: "pending" });
        const closed = await orders.close(order.id, status, 2000);
        expect(closed).toEqual({ ...order, status, updatedAt: 2000 });
        expect(await orders.get(order.id)).toEqual(closed);
        expect(await pets.get(pet.id)).toEqual({ ...pet, status: petStatusOfOrder[status] });
      }
      expect(await orders.get(9)).toBeUndefined();
    });

    it("no order is closed before its creation, even if the clock was set back", async (under) => {
      const { pets, orders } = under.store;
      const pet = await pets.create(rex);
      const { id } = await orders.place({ petId: pet.id }, 5000);
      expect(await orders.close(id, "completed", 1000)).toMatchObject({ createdAt: 5000, updatedAt: 5000 });
      expect(await orders.get(id)).toMatchObject({ updatedAt: 5000 });
    });

    it("only an available animal can be ordered, and the refusal names the possible statuses", async (under) => {
      const { pets, orders } = under.store;
      for (const status of petStatuses) {
        const { id } = await pets.create({ ...rex, status });
        if (status === "available") await orders.place({ petId: id }, 1);
        else {
          const allowed = petTransitions[status].join(" or ");
          const message = `Animal ${id} cannot be ordered because it is ${status}. Its next status can be ${allowed}, not pending.`;
          expect(await getRefusal(orders.place({ petId: id }, 1))).toEqual(["Conflict", message]);
        }
      }
      for (const id of [99, 9223372036854775807n]) {
        const message = `No animal has the id ${id}, so it cannot be ordered.`;
        expect(await getRefusal(orders.place({ petId: id }, 1))).toEqual(["Conflict", message]);
      }
      expect((await orders.list({}, { limit: 10 })).items).toHaveLength(1);
    });

    it("an order can be closed only once", async ({ store: { pets, orders } }) => {
      for (const first of ["completed", "cancelled"] as const) {
        const pet = await pets.create(rex);
        const { id } = await orders.place({ petId: pet.id }, 1);
        await orders.close(id, first, 2);
        for (const second of ["completed", "cancelled"] as const) {
          const message = `Order ${id} is already ${first}. Only an open order can be completed or cancelled.`;
          expect(await getRefusal(orders.close(id, second, 3))).toEqual(["Conflict", message]);
        }
        expect(await pets.get(pet.id)).toMatchObject({ status: petStatusOfOrder[first] });
      }
      expect(await getRefusal(orders.close(99, "completed", 3))).toEqual(["NotFound", "No order has the id 99."]);
    });

    it("only one of many concurrent orders for an animal succeeds, and the order is closed only once by concurrent requests", async (under) => {
      const { pets, orders } = under.store;
      const pet = await pets.create(rex);
      const placed = await Promise.allSettled(Array.from({ length: 50 }, () => orders.place({ petId: pet.id }, 1)));
      expect(placed.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const one of placed) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "Conflict" });
      expect((await orders.list({ petId: pet.id }, { limit: 10 })).items).toHaveLength(1);
      const [order] = (await orders.list({}, { limit: 1 })).items;
      const ends = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => {
          return orders.close(order?.id ?? 0, index % 2 === 0 ? "completed" : "cancelled", 2);
        }),
      );
      const [end, ...others] = ends.filter((one) => one.status === "fulfilled");
      expect(others).toEqual([]);
      const status = end?.value.status ?? "placed";
      expect(await pets.get(pet.id)).toMatchObject({ status: petStatusOfOrder[status] });
    });

    it("concurrent orders, changes and deletions never separate an open order from its pending animal", async (under) => {
      const { pets, orders } = under.store;
      for (let count = 0; count < 5; count++) await pets.create(rex);
      const work = Array.from({ length: 300 }, (_, index) => async () => {
        const id = 1 + (index % 5);
        const orderId = 1 + (index % 40);
        if (index % 7 === 0) return await pets.update(id, { status: petStatuses[index % 3] }, undefined);
        if (index % 61 === 0) return await pets.delete(id, undefined);
        if (index % 3 === 0) return await orders.close(orderId, index % 2 === 0 ? "completed" : "cancelled", 2);
        return await orders.place({ petId: id }, 1);
      });
      const outcomes = await Promise.allSettled(work.map((one) => one()));
      expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(5);
      for (const one of outcomes) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(ServiceError);
      expect((await orders.list({}, { limit: 100 })).items.length).toBeGreaterThan(4);
      const openOrders = (await orders.list({ status: "placed" }, { limit: 100 })).items;
      for (const { petId } of openOrders) expect(await pets.get(petId)).toMatchObject({ status: "pending" });
      expect(new Set(openOrders.map(({ petId }) => petId)).size).toBe(openOrders.length);
    });

    it("an animal with an open order cannot be deleted or change its status, but can be renamed", async (under) => {
      const { pets, orders } = under.store;
      await pets.create(rex);
      const { id } = await orders.place({ petId: 1 }, 1);
      for (const status of ["available", "sold"] as const) {
        expect(await getRefusal(pets.update(1, { status }, undefined))).toEqual([
          "Conflict",
          "Animal 1 has the open order 1, which controls its status. Complete or cancel the order instead.",
        ]);
      }
      expect(await getRefusal(pets.delete(1, undefined))).toEqual([
        "Conflict",
        "Animal 1 has the open order 1. Complete or cancel the order first.",
      ]);
      expect(await pets.update(1, { name: "Rexy", status: "pending" }, undefined)).toMatchObject({ name: "Rexy" });
      await orders.close(id, "cancelled", 2);
      await pets.delete(1, undefined);
      expect(await orders.get(id)).toMatchObject({ petId: 1, status: "cancelled" });
      expect((await getRefusal(orders.close(id, "completed", 3)))[0]).toBe("Conflict");
    });

    it("orders are listed in pages, by status and by animal", async ({ store: { pets, orders } }) => {
      for (let count = 0; count < 3; count++) {
        await pets.create(rex);
        await orders.place({ petId: count + 1 }, 1);
        await orders.close(count + 1, count === 1 ? "completed" : "cancelled", 2);
      }
      await orders.place({ petId: 1 }, 3);
      const ids = async (...args: Parameters<typeof orders.list>) =>
        (await orders.list(...args)).items.map(({ id }) => id);
      expect(await ids({}, { limit: 10 })).toEqual([1, 2, 3, 4]);
      expect(await ids({ status: "cancelled" }, { limit: 10 })).toEqual([1, 3]);
      expect(await ids({ petId: 1 }, { limit: 10 })).toEqual([1, 4]);
      expect(await ids({ petId: 1, status: "placed" }, { limit: 10 })).toEqual([4]);
      expect(await ids({ petId: 9223372036854775807n }, { limit: 10 })).toEqual([]);
      expect((await orders.list({}, { limit: 2 })).next).toBe(2);
      expect(await ids({}, { limit: 2, after: 2 })).toEqual([3, 4]);
      expect(await ids({}, { limit: 3, isDescending: true })).toEqual([4, 3, 2]);
      expect(await ids({}, { limit: 3, after: 2, isDescending: true })).toEqual([1]);
      expect(await ids({ status: "cancelled" }, { limit: 10, isDescending: true })).toEqual([3, 1]);
      expect(await ids({ petId: 1 }, { limit: 10, after: 4, isDescending: true })).toEqual([1]);
      expect(await ids({ petId: 1, status: "cancelled" }, { limit: 10, isDescending: true })).toEqual([1]);
      expect(await ids({ status: ["completed", "placed"] }, { limit: 10 })).toEqual([2, 4]);
      expect(await ids({ petId: 1, status: ["cancelled", "placed"] }, { limit: 1, after: 1 })).toEqual([4]);
    });
  });
}
