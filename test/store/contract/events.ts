import { describe, expect, test } from "bun:test";
import { eventTypes, type IndexedFilter, type Origin } from "../../../src/domain/event.ts";
import type { NewKey } from "../../../src/domain/key.ts";
import type { NewPet } from "../../../src/domain/pet.ts";
import type { Store } from "../../../src/store/store.ts";
import { testWith } from "../../support/test-with.ts";
import { createMovableStopwatch, getRefusal, type Open, readAll } from "./under-test.ts";

const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };
const till: Origin = { actor: { id: 3, name: 'till "1" 🐈' }, request: "request-1", at: 1_800_000_000_000 };
const hour = 60 * 60 * 1000;
const timestamp = "2027-01-15T08:00:00.000Z";

export function describeEvents(name: string, open: Open): void {
  const it = testWith(open);
  describe(`${name} logs events`, () => {
    it("events of animals record the actor, the request and the previous values", async (under) => {
      const { pets } = under.store.withOrigin(till);
      await pets.create({ ...rex, categoryId: 9223372036854775807n });
      await pets.update(1, { name: "Rexy", status: "pending" }, undefined);
      await pets.update(1, { name: "Rexy" }, undefined);
      await pets.delete(1, undefined);
      const before =
        '"data":{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"},"previous":null';
      const after = '"data":{"id":1,"name":"Rexy","categoryId":9223372036854775807,"status":"pending"}';
      const events = await readAll(under.store);
      expect(events.map(({ position, type, subject }) => [position, type, subject])).toEqual([
        [1, "pet.created", "pets/1"],
        [2, "pet.updated", "pets/1"],
        [3, "pet.deleted", "pets/1"],
      ]);
      const ids = events.map(({ id }) => id);
      expect(ids).toEqual([1, 2, 3].map(() => expect.stringMatching(/^evt_[0-9a-f]{32}$/)));
      expect(new Set(ids).size).toBe(3);
      const head = (index: number, type: string) =>
        `{"id":"${ids[index]}","type":"${type}","timestamp":"${timestamp}","subject":"pets/1","actor":{"id":3,"name":"till \\"1\\" 🐈"},"request":"request-1"`;
      expect(events.map(({ body }) => body)).toEqual([
        `${head(0, "pet.created")},${before}}`,
        `${head(1, "pet.updated")},${after},"previous":{"name":"Rex","status":"available"}}`,
        `${head(2, "pet.deleted")},${after},"previous":null}`,
      ]);
    });

    it("a write of an order logs an event of the order and an event of its animal", async (under) => {
      const { pets, orders } = under.store.withOrigin(till);
      await pets.create(rex);
      await orders.place({ petId: 1 }, 1_000);
      await orders.close(1, "cancelled", 2_000);
      await orders.place({ petId: 1 }, 3_000);
      await orders.close(2, "completed", 4_000);
      const logged = (await readAll(under.store)).map(({ type, subject, body }) => {
        const { data, previous } = JSON.parse(body);
        return [type, subject, data.status, previous];
      });
      const previousStatus = (status: string) => ({ status });
      const time = (ms: number) => new Date(ms).toISOString();
      expect(logged).toEqual([
        ["pet.created", "pets/1", "available", null],
        ["pet.updated", "pets/1", "pending", previousStatus("available")],
        ["order.placed", "orders/1", "placed", null],
        ["pet.updated", "pets/1", "available", previousStatus("pending")],
        ["order.cancelled", "orders/1", "cancelled", { status: "placed", updatedAt: time(1_000) }],
        ["pet.updated", "pets/1", "pending", previousStatus("available")],
        ["order.placed", "orders/2", "placed", null],
        ["pet.updated", "pets/1", "sold", previousStatus("pending")],
        ["order.completed", "orders/2", "completed", { status: "placed", updatedAt: time(3_000) }],
      ]);
      const [placed] = await readAll(under.store, { types: ["order.placed"] });
      expect(JSON.parse(placed?.body ?? "").data).toEqual({
        id: 1,
        petId: 1,
        status: "placed",
        createdAt: time(1_000),
        updatedAt: time(1_000),
      });
    });

    it("naming and unnaming a category logs an event, but an unchanged name does not", async (under) => {
      const { categories } = under.store.withOrigin(till);
      const id = -9223372036854775808n;
      for (const called of ["Dogs", "Dogs", "Cats"]) await categories.put({ id, name: called }, undefined);
      await categories.delete(id, undefined);
      const events = await readAll(under.store);
      expect(events.map(({ type, subject, body }) => [type, subject, body.slice(body.indexOf('"data"'))])).toEqual([
        ["category.named", `categories/${id}`, `"data":{"id":${id},"name":"Dogs"},"previous":null}`],
        ["category.named", `categories/${id}`, `"data":{"id":${id},"name":"Cats"},"previous":{"name":"Dogs"}}`],
        ["category.unnamed", `categories/${id}`, `"data":{"id":${id},"name":"Cats"},"previous":null}`],
      ]);
    });

    it("events of keys contain no secrets, and name the operator unless a request made the change", async (under) => {
      const { keys } = under.store;
      const secret = (text: string) => ({
        hash: new Bun.CryptoHasher("sha256").update(text).digest(),
        sealed: "sealed",
      });
      const key: NewKey = { name: "till 1", scope: "admin", createdAt: 1_000, expiresAt: null };
      await keys.createFirst(key, secret("one"));
      await keys.rotate(1, { at: 2_000, retiresAt: 3_000, keepLastAdmin: false }, secret("two"));
      await under.store.withOrigin(till).keys.revoke(2, 2_500, false);
      await keys.revoke(2, 2_600, false);
      const events = await readAll(under.store);
      const logged = events.map(({ type, subject, body }) => {
        const { data, previous, actor, request } = JSON.parse(body);
        return [type, subject, data.state, previous, actor.name, request];
      });
      const unset = { state: "active", expiresAt: null, rotatedAt: null };
      expect(logged).toEqual([
        ["key.created", "keys/1", "active", null, "operator", null],
        ["key.rotated", "keys/1", "retiring", unset, "operator", null],
        ["key.created", "keys/2", "active", null, "operator", null],
        ["key.revoked", "keys/2", "revoked", { state: "active", revokedAt: null }, till.actor.name, "request-1"],
      ]);
      for (const { body } of events) expect(body).not.toMatch(/sealed|hash/);
    });

    it("repeated requests log their event once, and refused requests log none", async (under) => {
      const newRecord = () => ({
        name: Buffer.alloc(32, 1),
        fingerprint: Buffer.alloc(32, 2),
        family: 1,
        at: 1_000,
        onReplay() {},
      });
      for (const _ of [1, 2, 3]) await under.store.withOrigin(till).withIdempotency(newRecord()).pets.create(rex);
      expect((await getRefusal(under.store.orders.place({ petId: 99 }, 1)))[0]).toBe("Conflict");
      expect((await getRefusal(under.store.pets.update(1, { status: "sold" }, undefined)))[0]).toBe("Conflict");
      const events = await readAll(under.store);
      expect(events.map(({ type }) => type)).toEqual(["pet.created"]);
      expect(JSON.parse(events[0]?.body ?? "").actor).toEqual(till.actor);
    });

    it("events of animals that are added concurrently have their own ids and origins", async (under) => {
      const created = await Promise.all(
        Array.from({ length: 600 }, (_, index) =>
          under.store
            .withOrigin({ ...till, request: `request-${index}` })
            .pets.create({ ...rex, name: `Animal ${index}` }),
        ),
      );
      const events = await readAll(under.store);
      expect(events.map(({ position }) => position)).toEqual(created.map((_, index) => index + 1));
      const logged = new Map(events.map(({ body }) => JSON.parse(body)).map(({ request, data }) => [request, data]));
      for (const [index, pet] of created.entries()) expect(logged.get(`request-${index}`)).toEqual(pet);
    });

    it("events can be read by type and subject, from any position, in pages", async ({ store }) => {
      for (const called of ["a", "b", "c", "d"]) await store.pets.create({ ...rex, name: called });
      for (const id of [1, 2, 3]) await store.orders.place({ petId: id }, 1);
      await store.pets.delete(4, undefined);
      await store.categories.put({ id: 1, name: "Dogs" }, undefined);
      await requireReadable(store, {
        count: 12,
        filters: [
          {},
          ...eventTypes.map((type) => ({ types: [type] })),
          { types: ["pet.deleted", "order.placed"] },
          { types: [...eventTypes] },
          { subject: "pets/2" },
          { subject: "pets/" },
        ],
        positions: [0, 1, 5, 12, 99],
        limits: [1, 3, 100],
      });
    });

    it("events of animals that were added together can be read one by one", async ({ store }) => {
      const addTogether = async (count: number) => {
        // On PostgreSQL, animals share a row of the event log only if the inbox is empty, so these creates first empty the inbox.
        for (let id = 1; id <= 6; id++) await store.pets.create(rex);
        await Promise.all(
          Array.from({ length: count }, (_, index) => store.pets.create({ ...rex, categoryId: index })),
        );
      };
      await addTogether(40);
      await store.categories.put({ id: 1, name: "Dogs" }, undefined);
      await store.pets.update(40, { name: "Max" }, undefined);
      await addTogether(5);
      await requireReadable(store, {
        count: 59,
        filters: [
          {},
          { types: ["pet.created"] },
          { types: ["category.named", "pet.created"] },
          { types: ["pet.updated"] },
          ...[1, 7, 8, 9, 40, 46, 47, 53, 54, 57, 58].map((id) => ({ subject: `pets/${id}` })),
          { subject: "pets/007" },
          { subject: "pets/12345678901234567890" },
          { subject: "created/0000000000000008" },
          { subject: "orders/20" },
        ],
        positions: [0, 1, 6, 7, 8, 9, 40, 46, 47, 48, 55, 56, 57, 59, 99],
        limits: [1, 2, 30, 100],
      });
    });

    test("the oldest events are deleted first, without a gap, but the newest event is kept", async () => {
      const time = createMovableStopwatch();
      await using under = await open({ ...time, eventRetentionMs: 1_000 });
      const { store } = under;
      expect(await store.events.ends()).toBeUndefined();
      expect(await store.events.read({}, 0, 10)).toEqual({ events: [], end: undefined });
      expect(await store.events.readBackwards({}, undefined, 10)).toEqual([]);
      // The third write began before the second, but was committed after it.
      for (const at of [hour + 10_000, hour + 12_000, hour + 10_500, hour + 12_500])
        await store.withOrigin({ ...till, at }).pets.create(rex);
      const all = await readAll(store);
      const mark = (index: number) => ({ position: index + 1, id: all[index]?.id ?? "" });
      await store.deleteExpired(time.advanceTo(hour + 11_600));
      expect(await store.events.ends()).toEqual({ oldest: mark(1), newest: mark(3) });
      expect((await readAll(store)).map(({ position }) => position)).toEqual([2, 3, 4]);
      await store.deleteExpired(time.advanceTo(hour + 20_000));
      expect(await store.events.ends()).toEqual({ oldest: mark(3), newest: mark(3) });
      await store.pets.create(rex);
      expect((await readAll(store)).map(({ position }) => position)).toEqual([4, 5]);
    });

    it("a watcher is notified of new events", async (under) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = under.store.events.watch(async () => {
        if ((await under.store.events.read({}, 0, 10)).events.length === 1) resolve();
      });
      await under.store.pets.create(rex);
      await promise;
      end();
    });
  });
}

async function requireReadable(
  store: Store,
  {
    count,
    filters,
    positions,
    limits,
  }: {
    readonly count: number;
    readonly filters: readonly IndexedFilter[];
    readonly positions: readonly number[];
    readonly limits: readonly number[];
  },
): Promise<void> {
  const all = await readAll(store);
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  for (const { id, type, subject, body } of all) expect(JSON.parse(body)).toMatchObject({ id, type, subject });
  for (const filter of filters) {
    const matching = all.filter(
      ({ type, subject }) =>
        (filter.types?.includes(type) ?? true) && (filter.subject === undefined || filter.subject === subject),
    );
    for (const limit of limits) {
      for (const after of positions) {
        const { events, end } = await store.events.read(filter, after, limit);
        expect(events).toEqual(matching.filter(({ position }) => position > after).slice(0, limit));
        expect(end).toEqual({ position: count, id: all.at(-1)?.id ?? "" });
      }
      for (const from of [undefined, ...positions]) {
        const before = matching.filter(({ position }) => position <= (from ?? count)).reverse();
        expect(await store.events.readBackwards(filter, from, limit)).toEqual(before.slice(0, limit));
      }
    }
  }
  for (const position of positions) expect(await store.events.idAt(position)).toBe(all[position - 1]?.id as string);
  const [first, last] = [all[0], all.at(-1)];
  expect(await store.events.ends()).toEqual({
    oldest: { position: 1, id: first?.id ?? "" },
    newest: { position: count, id: last?.id ?? "" },
  });
}
