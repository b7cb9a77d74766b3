import { describe, expect, test } from "bun:test";
import type { Event } from "../../../packages/client/src/index.ts";
import { toActivityItems } from "./activity-items.ts";

const rex = { id: 12, name: "Rex", categoryId: 7, status: "available" };
const order = {
  id: 5,
  petId: 12,
  status: "placed",
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z",
};

/** The newest first, as the log is read. */
const eventsOf = (...events: readonly object[]): Event[] =>
  events.map(
    (event, index) =>
      ({
        id: `evt_${index}`,
        timestamp: "2026-11-15T10:00:00.000Z",
        actor: { id: 2, name: "Front desk" },
        request: `request-${index}`,
        previous: null,
        ...event,
      }) as unknown as Event,
  );

const sentences = (events: readonly Event[]) =>
  toActivityItems(events).map(
    ({ about, others, done, by }) =>
      `${about.kind} ${about.name ?? about.id}${others.length > 0 ? ` and ${others.length}` : ""} ${done} by ${by}`,
  );

describe("what events mean to people", () => {
  test.each([
    [{ status: "available" }, { status: "pending" }, "reserved"],
    [{ status: "pending" }, { status: "sold" }, "sold"],
    [{ status: "pending" }, { status: "available" }, "put back on sale"],
    [{ status: "sold" }, { status: "available" }, "returned"],
    [{ name: "Max" }, {}, "renamed"],
    [{ categoryId: 3 }, {}, "moved to another category"],
    [{ name: "Max", status: "available" }, { status: "pending" }, "changed"],
  ])("a change of %j", (previous, now, done) => {
    const [happening] = toActivityItems(
      eventsOf({ type: "pet.updated", subject: "pets/12", data: { ...rex, ...now }, previous }),
    );
    expect(happening?.done).toBe(done);
    expect(happening?.changes.map(({ field }) => field)).toEqual(Object.keys(previous) as never);
    for (const change of happening?.changes ?? []) {
      expect(change.from).toBe(Object.values(previous)[happening?.changes.indexOf(change) ?? 0] as never);
    }
  });

  test("an order and what it made of its animal are one", () => {
    const reserved = {
      type: "pet.updated",
      subject: "pets/12",
      data: { ...rex, status: "pending" },
      previous: { status: "available" },
    };
    const placed = { type: "order.placed", subject: "orders/5", data: order };
    const events = eventsOf({ ...placed, request: "r" }, { ...reserved, request: "r" });
    expect(sentences(events)).toEqual(["animal Rex reserved by Front desk"]);
    expect(toActivityItems(events)[0]?.order).toMatchObject({ id: 5 });
    const deleted = { type: "pet.deleted", subject: "pets/14", data: { ...rex, id: 14, name: "Tom" } };
    expect(sentences(eventsOf({ ...placed, request: "r" }, deleted, { ...reserved, request: "r" }))).toEqual([
      "animal Rex reserved by Front desk",
      "animal Tom deleted by Front desk",
    ]);
    expect(sentences(eventsOf(placed, reserved))).toEqual([
      "order 5 placed by Front desk",
      "animal Rex reserved by Front desk",
    ]);
    const other = { ...reserved, subject: "pets/13", data: { ...rex, id: 13 } };
    expect(sentences(eventsOf({ ...placed, request: "r" }, { ...other, request: "r" }))).toHaveLength(2);
  });

  test("animals that one request has added are one", () => {
    const added = (id: number, request: string | null) => ({
      type: "pet.created",
      subject: `pets/${id}`,
      data: { ...rex, id, name: `Animal ${id}` },
      request,
    });
    expect(
      sentences(eventsOf(added(4, "b"), added(3, "a"), added(2, "a"), added(1, "a"), added(9, null), added(8, null))),
    ).toEqual([
      "animal Animal 4 added by Front desk",
      "animal Animal 3 and 2 added by Front desk",
      "animal Animal 9 added by Front desk",
      "animal Animal 8 added by Front desk",
    ]);
  });

  test("categories, keys and webhooks", () => {
    const dogs = { id: 7, name: "Dogs" };
    expect(
      sentences(
        eventsOf(
          { type: "category.named", subject: "categories/7", data: dogs },
          { type: "category.named", subject: "categories/7", data: dogs, previous: { name: "Cats" } },
          { type: "category.unnamed", subject: "categories/7", data: dogs },
          { type: "key.rotated", subject: "keys/3", data: { id: 3, name: "till 1" }, previous: {} },
          {
            type: "webhook.disabled",
            subject: "webhooks/1",
            data: { id: 1, url: "https://x.test", disabledReason: "gone" },
            previous: {},
          },
        ),
      ),
    ).toEqual([
      "category 7 named Dogs by Front desk",
      "category 7 renamed by Front desk",
      "category 7 stripped of its name Dogs by Front desk",
      "key till 1 rotated by Front desk",
      "webhook https://x.test disabled by Front desk",
    ]);
  });
});
