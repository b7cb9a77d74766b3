import type { Event, Int64, Order, Pet } from "../../../packages/client/src/index.ts";
import type { NewPet } from "../../domain/pet.ts";
import { fieldNames } from "../animals/pet-fields.ts";
import type { IconName } from "../parts/icons.tsx";

/** An activity item: `about` was `done` by `by`. */
export interface ActivityItem {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly icon: IconName;
  readonly about: Resource;
  /** Other things to which the same request did the same. */
  readonly others: readonly Resource[];
  readonly done: string;
  /** The order that the item is about, or that changed the animal. */
  readonly order?: Pick<Order, "id" | "petId"> | undefined;
  readonly changes: readonly Change[];
}

export interface Resource {
  readonly kind: "animal" | "order" | "category" | "key" | "webhook";
  readonly id: Int64;
  readonly name?: string | undefined;
}

export interface Change {
  readonly field: keyof NewPet | "reason";
  readonly from: Int64 | string | null;
  readonly to: Int64 | string | null;
}

/**
 * Describes events, the newest first. An order and the change of its animal become one item, as do the animals that one
 * request added.
 */
export function toActivityItems(events: readonly Event[]): ActivityItem[] {
  const all: ActivityItem[] = [];
  const told = new Set<Event>();
  for (const [index, event] of events.entries()) {
    if (told.has(event)) continue;
    const order = isOrderEvent(event) ? event : undefined;
    const before = order && events.slice(index + 1, index + maxBetween).find((pet) => belongTogether(order, pet));
    if (before) {
      const [done, icon] = ofOrders[order.type];
      all.push({ ...meaningOf(before), id: order.id, done, icon, changes: [], order: order.data });
      told.add(before);
      continue;
    }
    const last = all.at(-1);
    const newer = events[index - 1];
    if (last && newer && isAddedWith(event, newer)) {
      all[all.length - 1] = { ...last, others: [...last.others, meaningOf(event).about] };
    } else all.push(meaningOf(event));
  }
  return all;
}

const maxBetween = 100;

function belongTogether(order: OrderEvent, pet: Event): boolean {
  return pet.type === "pet.updated" && order.request === pet.request && pet.subject === `pets/${order.data.petId}`;
}

function isAddedWith(event: Event, newer: Event): boolean {
  const areAdded = event.type === "pet.created" && newer.type === "pet.created";
  return areAdded && event.request === newer.request && event.request !== null;
}

type OrderEvent = Extract<Event, { data: Order }>;

function isOrderEvent(event: Event): event is OrderEvent {
  return event.type === "order.placed" || event.type === "order.completed" || event.type === "order.cancelled";
}

const ofOrders = {
  "order.placed": ["reserved", "orders"],
  "order.completed": ["sold", "check"],
  "order.cancelled": ["put back on sale", "undo"],
} as const satisfies Record<OrderEvent["type"], readonly [string, IconName]>;

function meaningOf(event: Event): ActivityItem {
  const { id, timestamp: at, actor } = event;
  return { id, at, by: actor.name, others: [], changes: [], ...tell(event) };
}

type Told = Pick<ActivityItem, "about" | "done" | "icon"> & Partial<ActivityItem>;

function tell(event: Event): Told {
  switch (event.type) {
    case "pet.created":
      return { about: animal(event.data), done: "added", icon: "plus" };
    case "pet.updated":
      return { about: animal(event.data), ...petChange(event.data, event.previous ?? {}) };
    case "pet.deleted":
      return { about: animal(event.data), done: "deleted", icon: "trash" };
    case "order.placed":
    case "order.completed":
    case "order.cancelled": {
      const done = event.type.replace("order.", "");
      return { about: { kind: "order", id: event.data.id }, order: event.data, done, icon: ofOrders[event.type][1] };
    }
    case "category.named":
    case "category.unnamed": {
      const { id, name } = event.data;
      const told = { about: { kind: "category", id }, icon: "categories" } as const;
      if (event.type === "category.unnamed") return { ...told, done: `stripped of its name ${name}` };
      const from = event.previous?.name;
      if (from === undefined) return { ...told, done: `named ${name}` };
      return { ...told, done: "renamed", changes: [{ field: "name", from: String(from), to: name }] };
    }
    case "key.created":
    case "key.rotated":
    case "key.revoked": {
      const { id, name } = event.data;
      return { about: { kind: "key", id, name }, done: event.type.replace("key.", ""), icon: "keys" };
    }
    case "webhook.disabled": {
      const { id, url, disabledReason } = event.data;
      const changes = [{ field: "reason", from: null, to: disabledReason }] as const;
      return { about: { kind: "webhook", id, name: url }, done: "disabled", icon: "webhooks", changes };
    }
  }
}

function animal({ id, name }: Pet): Resource {
  return { kind: "animal", id, name };
}

function petChange(pet: Pet, previous: { readonly [field: string]: unknown }): Omit<Told, "about"> {
  const changes = fieldNames
    .filter((field) => field in previous)
    .map((field): Change => ({ field, from: previous[field] as Change["from"], to: pet[field] }));
  const [only] = changes;
  if (changes.length !== 1 || !only) return { done: "changed", icon: "edit", changes };
  if (only.field === "name") return { done: "renamed", icon: "edit", changes };
  if (only.field === "categoryId") return { done: "moved to another category", icon: "categories", changes };
  const move = only.field === "status" ? ofStatuses[`${only.from} ${only.to}`] : undefined;
  const [done, icon] = move ?? (["changed", "edit"] as const);
  return { done, icon, changes };
}

const ofStatuses: Readonly<Record<string, readonly [done: string, icon: IconName]>> = {
  "available pending": ["reserved", "orders"],
  "pending available": ["put back on sale", "undo"],
  "pending sold": ["sold", "check"],
  "sold available": ["returned", "undo"],
};
