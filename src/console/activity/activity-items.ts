import type { Event, Int64, Order, Pet } from "../../../packages/client/src/index.ts";
import type { NewPet } from "../../domain/pet.ts";
import { fieldNames } from "../animals/pet-fields.ts";
import type { IconName } from "../parts/icons.tsx";

/** The parts of a sentence such as "Rex was reserved by Front desk": `about` is Rex, `done` is reserved, `by` is Front desk. */
export interface ActivityItem {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly icon: IconName;
  readonly about: Resource;
  /** Other resources that the same request changed in the same way. */
  readonly others: readonly Resource[];
  readonly done: string;
  /** The order that the item is about, or that changed the animal. */
  readonly order?: Pick<Order, "id" | "petId">;
  readonly changes: readonly FieldChange[];
}

export interface Resource {
  readonly kind: "animal" | "order" | "category" | "key" | "webhook";
  readonly id: Int64;
  readonly name?: string | undefined;
}

export interface FieldChange {
  readonly field: keyof NewPet;
  readonly from: Int64 | string | null;
  readonly to: Int64 | string | null;
}

/** Converts events, newest first. An order event and the change of its animal become one item, as do animals that one request added. */
export function toActivityItems(events: readonly Event[]): ActivityItem[] {
  const items: ActivityItem[] = [];
  const merged = new Set<Event>();
  for (const [index, event] of events.entries()) {
    if (merged.has(event)) continue;
    const petChange = isOrderEvent(event) && findPetChange(event, events.slice(index + 1, index + maxLookahead));
    const previous = items.at(-1);
    if (petChange) {
      const [done, icon] = orderTexts[event.type];
      items.push({ ...toActivityItem(petChange), id: event.id, done, icon, changes: [], order: event.data });
      merged.add(petChange);
    } else if (previous && isCreatedBySameRequest(event, events[index - 1])) {
      items[items.length - 1] = { ...previous, others: [...previous.others, toActivityItem(event).about] };
    } else {
      items.push(toActivityItem(event));
    }
  }
  return items;
}

const maxLookahead = 100;

type OrderEvent = Extract<Event, { data: Order }>;

function isOrderEvent(event: Event): event is OrderEvent {
  return event.type in orderTexts;
}

function findPetChange({ request, data }: OrderEvent, older: readonly Event[]): Event | undefined {
  const subject = `pets/${data.petId}`;
  return older.find((each) => each.type === "pet.updated" && each.request === request && each.subject === subject);
}

function isCreatedBySameRequest(event: Event, newer: Event | undefined): boolean {
  const areCreated = event.type === "pet.created" && newer?.type === "pet.created";
  return areCreated && event.request === newer.request && event.request !== null;
}

const orderTexts = {
  "order.placed": ["reserved", "orders"],
  "order.completed": ["sold", "check"],
  "order.cancelled": ["put back on sale", "undo"],
} as const satisfies Record<OrderEvent["type"], readonly [string, IconName]>;

type EventDescription = Pick<ActivityItem, "about" | "done" | "icon"> & Partial<ActivityItem>;

function toActivityItem(event: Event): ActivityItem {
  const { id, timestamp: at, actor } = event;
  return { id, at, by: actor.name, others: [], changes: [], ...describeEvent(event) };
}

function describeEvent(event: Event): EventDescription {
  switch (event.type) {
    case "pet.created":
      return { about: toAnimal(event.data), done: "added", icon: "plus" };
    case "pet.updated":
      return { about: toAnimal(event.data), ...describePetChange(event.data, event.previous ?? {}) };
    case "pet.deleted":
      return { about: toAnimal(event.data), done: "deleted", icon: "trash" };
    case "order.placed":
    case "order.completed":
    case "order.cancelled": {
      const [, icon] = orderTexts[event.type];
      const about = { kind: "order", id: event.data.id } as const;
      return { about, order: event.data, done: event.type.replace("order.", ""), icon };
    }
    case "category.named":
    case "category.unnamed": {
      const { id, name } = event.data;
      const shared = { about: { kind: "category", id }, icon: "categories" } as const;
      if (event.type === "category.unnamed") return { ...shared, done: `stripped of its name ${name}` };
      const from = event.previous?.name;
      if (from === undefined) return { ...shared, done: `named ${name}` };
      return { ...shared, done: "renamed", changes: [{ field: "name", from: String(from), to: name }] };
    }
    case "key.created":
    case "key.rotated":
    case "key.revoked": {
      const { id, name } = event.data;
      return { about: { kind: "key", id, name }, done: event.type.replace("key.", ""), icon: "keys" };
    }
    case "webhook.disabled": {
      const { id, url, disabledReason } = event.data;
      return { about: { kind: "webhook", id, name: url }, done: `disabled (${disabledReason})`, icon: "webhooks" };
    }
  }
}

function toAnimal({ id, name }: Pet): Resource {
  return { kind: "animal", id, name };
}

function describePetChange(pet: Pet, previous: { readonly [field: string]: unknown }) {
  const changes = fieldNames
    .filter((field) => field in previous)
    .map((field): FieldChange => ({ field, from: previous[field] as FieldChange["from"], to: pet[field] }));
  const [onlyChange] = changes.length === 1 ? changes : [];
  const key = onlyChange?.field === "status" ? `${onlyChange.from} ${onlyChange.to}` : (onlyChange?.field ?? "");
  const [done, icon] = petChangeTexts[key] ?? (["changed", "edit"] as const);
  return { done, icon, changes };
}

/** Texts by the only changed field or, if that is the status, by the old and the new status. */
const petChangeTexts: Readonly<Record<string, readonly [done: string, icon: IconName]>> = {
  name: ["renamed", "edit"],
  categoryId: ["moved to another category", "categories"],
  "available pending": ["reserved", "orders"],
  "pending available": ["put back on sale", "undo"],
  "pending sold": ["sold", "check"],
  "sold available": ["returned", "undo"],
};
