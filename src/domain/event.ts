import { formatTime } from "../base/format-time.ts";
import type { Int64 } from "../base/int64.ts";
import { toJson } from "../base/json.ts";
import type { Category } from "./category.ts";
import { namesOf, newFields, pick } from "./fields.ts";
import { type Key, presentKey } from "./key.ts";
import { type Order, presentOrder } from "./order.ts";
import { type NewPet, type Pet, petFields } from "./pet.ts";
import { presentWebhook, type Webhook } from "./webhook.ts";

export const eventTypes = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.placed",
  "order.completed",
  "order.cancelled",
  "category.named",
  "category.unnamed",
  "key.created",
  "key.rotated",
  "key.revoked",
  "webhook.disabled",
] as const;
export type EventType = (typeof eventTypes)[number];

/** The kinds of subjects by the first part of the types of their events. A subject is a kind with an id, such as `pets/12`. */
const kinds = { pet: "pets", order: "orders", category: "categories", key: "keys", webhook: "webhooks" } as const;
export type SubjectKind = (typeof kinds)[keyof typeof kinds];
export const subjectKinds: readonly SubjectKind[] = Object.values(kinds);

const kindOfType = Object.fromEntries(
  eventTypes.map((type) => [type, kinds[type.split(".")[0] as keyof typeof kinds]]),
) as Record<EventType, SubjectKind>;

export function subjectKindOf(type: EventType): SubjectKind {
  return kindOfType[type];
}

/** The subjects whose events are shown only to callers with the scope admin. */
export const adminSubjects: ReadonlySet<SubjectKind> = new Set(["keys", "webhooks"]);

const restrictedTypes: ReadonlySet<EventType> = new Set(
  eventTypes.filter((type) => adminSubjects.has(subjectKindOf(type))),
);

export function isRestricted(type: EventType): boolean {
  return restrictedTypes.has(type);
}

export interface LoggedEvent {
  readonly position: number;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  /** The event as clients get it, byte for byte. */
  readonly body: string;
}

/** Narrows the log; an absent field does not narrow it. */
export interface EventFilter {
  readonly types?: readonly EventType[] | undefined;
  readonly subject?: string | undefined;
}

/** A filter that one index of the log serves: by types or by subject, not by both. */
export type IndexedFilter =
  | { readonly types?: EventFilter["types"]; readonly subject?: never }
  | { readonly subject: string; readonly types?: never };

/** The actor, the id of the request if there is one, and the time (in milliseconds since 1970) of a write. */
export interface Origin {
  readonly actor: Actor;
  readonly request: string | null;
  readonly at: number;
}

/** A key; it has no id if it is not stored. */
export interface Actor {
  readonly id: number | null;
  readonly name: string;
}

/** The actor of commands, and of what the service does by itself. */
export const operator: Actor = { id: null, name: "operator" };

/** A change of a resource that may not have an id yet. */
export interface Change {
  readonly type: EventType;
  readonly kind: SubjectKind;
  /** The resource after the change, or before it was deleted, as the API shows it, but without its id. */
  readonly data: object;
  /** The former values of the changed fields; null if the resource was created or deleted. */
  readonly previous: object | null;
}

export interface IdentifiedChange extends Change {
  readonly id: Int64;
}

export function petCreated(pet: NewPet): Change {
  return { type: "pet.created", kind: "pets", data: pick(pet, newPetNames), previous: null };
}

const newPetNames = namesOf(newFields(petFields));

/** Returns nothing if no field has changed. */
export function petUpdated(before: Pet, after: Pet): IdentifiedChange[] {
  return changed("pet.updated", before, after);
}

export function petDeleted(pet: Pet): IdentifiedChange[] {
  return [changeOf("pet.deleted", pet, null)];
}

export function orderPlaced(order: Omit<Order, "id">): Change {
  return changeOf("order.placed", presentOrder({ id: 0, ...order }), null);
}

export function orderClosed(before: Order, after: Order): IdentifiedChange[] {
  const type = after.status === "completed" ? "order.completed" : "order.cancelled";
  return changed(type, presentOrder(before), presentOrder(after));
}

export function categoryNamed(before: Category | undefined, after: Category): IdentifiedChange[] {
  return before ? changed("category.named", before, after) : [changeOf("category.named", after, null)];
}

export function categoryUnnamed(category: Category): IdentifiedChange[] {
  return [changeOf("category.unnamed", category, null)];
}

export function keyCreated(key: Omit<Key, "id" | "family">, now: number): Change {
  return changeOf("key.created", presentKey({ id: 0, family: 0, ...key }, now), null);
}

export function keyRotated(before: Key, after: Key, now: number): IdentifiedChange[] {
  return changed("key.rotated", presentKey(before, now), presentKey(after, now));
}

export function keyRevoked(before: Key, after: Key, now: number): IdentifiedChange[] {
  return changed("key.revoked", presentKey(before, now), presentKey(after, now));
}

/** Returns nothing unless the webhook was enabled, and no longer is. */
export function webhookDisabled(before: Webhook, after: Webhook): IdentifiedChange[] {
  if (before.status === after.status || after.status !== "disabled") return [];
  const { status, disabledReason } = before;
  return [changeOf("webhook.disabled", presentWebhook(after), { status, disabledReason })];
}

function changed<Resource extends { readonly id: Int64 }>(
  type: EventType,
  before: Resource,
  after: Resource,
): IdentifiedChange[] {
  const different = Object.entries(before).filter(([field, value]) => after[field as keyof Resource] !== value);
  return different.length === 0 ? [] : [changeOf(type, after, Object.fromEntries(different))];
}

function changeOf(type: EventType, { id, ...data }: { readonly id: Int64 }, previous: object | null): IdentifiedChange {
  return { type, kind: subjectKindOf(type), id, data, previous };
}

/** The text of an event without the id of its subject, which belongs between each two parts. */
export type EventTemplate = readonly [string, string, string];

export function toEventTemplate(
  eventId: string,
  { type, kind, data, previous }: Change,
  origin: Origin,
): EventTemplate {
  const { actor, request, at } = origin;
  return [
    `{"id":"${eventId}","type":"${type}","timestamp":"${formatTime(at)}","subject":"${kind}/`,
    `","actor":{"id":${actor.id},"name":${JSON.stringify(actor.name)}},"request":${JSON.stringify(request)},"data":{"id":`,
    `,${toJson(data).slice(1)},"previous":${previous === null ? "null" : toJson(previous)}}`,
  ];
}

export function fillEventTemplate([head, middle, tail]: EventTemplate, id: Int64 | string): string {
  return head + id + middle + id + tail;
}

/** Returns a random id, so that clients cannot guess the ids of events that they may not see. */
export function newEventId(): string {
  if (randomUsed + bytesOfId > randomPool.length) {
    randomPool = Buffer.from(crypto.getRandomValues(new Uint8Array(bytesOfId * 256)).buffer);
    randomUsed = 0;
  }
  const id = `evt_${randomPool.toString("hex", randomUsed, randomUsed + bytesOfId)}`;
  randomUsed += bytesOfId;
  return id;
}

const bytesOfId = 16;
export const eventIdLength = "evt_".length + 2 * bytesOfId;
/** Requesting many random bytes at once costs hardly more than requesting few. */
let randomPool = Buffer.alloc(0);
let randomUsed = 0;
