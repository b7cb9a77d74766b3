import { expect, test } from "bun:test";
import type { Event } from "../../../packages/client/src/index.ts";
import { toActivityItems } from "./activity-items.ts";

const timestamp = "2026-11-15T10:00:00.000Z";
const rex = { id: 12, name: "Rex", categoryId: 7, status: "available" };
const order = { id: 5, petId: 12, status: "placed", createdAt: timestamp, updatedAt: timestamp };
const actor = { id: 2, name: "Front desk" };

/** Adds the fields that all events share. Pass the newest event first. */
const createEvents = (...events: readonly object[]) =>
  events.map((event, index) => ({
    id: `evt_${index}`,
    timestamp,
    actor,
    request: `request-${index}`,
    previous: null,
    ...event,
  })) as unknown as Event[];

const describeEvents = (...events: readonly object[]) =>
  toActivityItems(createEvents(...events)).map(
    ({ about, others, done, by }) =>
      `${about.kind} ${about.name ?? about.id}${others.length > 0 ? ` and ${others.length}` : ""} ${done} by ${by}`,
  );

test.each([
  [{ status: "available" }, { status: "pending" }, "reserved"],
  [{ status: "pending" }, { status: "sold" }, "sold"],
  [{ status: "pending" }, { status: "available" }, "put back on sale"],
  [{ status: "sold" }, { status: "available" }, "returned"],
  [{ name: "Max" }, {}, "renamed"],
  [{ categoryId: 3 }, {}, "moved to another category"],
  [{ name: "Max", status: "available" }, { status: "pending" }, "changed"],
])("the update of an animal from %j to %j is described as %s", (previous, now, done) => {
  const [item] = toActivityItems(
    createEvents({ type: "pet.updated", subject: "pets/12", data: { ...rex, ...now }, previous }),
  );
  expect(item?.done).toBe(done);
  expect(item?.changes.map(({ field, from }): unknown => [field, from])).toEqual(Object.entries(previous));
});

test("an order event and the change of the ordered animal become one activity item", () => {
  const pending = { ...rex, status: "pending" };
  const reserved = { type: "pet.updated", subject: "pets/12", data: pending, previous: { status: "available" } };
  const placed = { type: "order.placed", subject: "orders/5", data: order };
  const deleted = { type: "pet.deleted", subject: "pets/14", data: { ...rex, id: 14, name: "Tom" } };
  const withRequest = (event: object) => ({ ...event, request: "r" });
  const both = [withRequest(placed), withRequest(reserved)] as const;
  expect(describeEvents(...both)).toEqual(["animal Rex reserved by Front desk"]);
  expect(toActivityItems(createEvents(...both))[0]?.order).toMatchObject({ id: 5 });
  expect(describeEvents(both[0], deleted, both[1])).toEqual([
    "animal Rex reserved by Front desk",
    "animal Tom deleted by Front desk",
  ]);
  expect(describeEvents(placed, reserved)).toEqual([
    "order 5 placed by Front desk",
    "animal Rex reserved by Front desk",
  ]);
  const other = { ...reserved, subject: "pets/13", data: { ...rex, id: 13 } };
  expect(describeEvents(both[0], withRequest(other))).toHaveLength(2);
});

test("animals that one request added become one activity item", () => {
  const createAddedEvent = (id: number, request: string | null) => ({
    type: "pet.created",
    subject: `pets/${id}`,
    data: { ...rex, id, name: `Animal ${id}` },
    request,
  });
  expect(
    describeEvents(
      createAddedEvent(4, "b"),
      createAddedEvent(3, "a"),
      createAddedEvent(2, "a"),
      createAddedEvent(1, "a"),
      createAddedEvent(9, null),
      createAddedEvent(8, null),
    ),
  ).toEqual([
    "animal Animal 4 added by Front desk",
    "animal Animal 3 and 2 added by Front desk",
    "animal Animal 9 added by Front desk",
    "animal Animal 8 added by Front desk",
  ]);
});

const dogs = { subject: "categories/7", data: { id: 7, name: "Dogs" } };
const webhook = { id: 1, url: "https://x.test", disabledReason: "gone" };

test.each([
  [{ type: "category.named", ...dogs }, "category 7 named Dogs by Front desk"],
  [{ type: "category.named", ...dogs, previous: { name: "Cats" } }, "category 7 renamed by Front desk"],
  [{ type: "category.unnamed", ...dogs }, "category 7 stripped of its name Dogs by Front desk"],
  [{ type: "key.rotated", data: { id: 3, name: "till 1" }, previous: {} }, "key till 1 rotated by Front desk"],
  [{ type: "webhook.disabled", data: webhook, previous: {} }, "webhook https://x.test disabled (gone) by Front desk"],
])("the event %j is described as %s", (event, sentence) => {
  expect(describeEvents(event)).toEqual([sentence]);
});
