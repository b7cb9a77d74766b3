import { formatTime } from "../base/format-time.ts";
import type { Int64 } from "../base/int64.ts";
import { toJson } from "../base/json.ts";
import type { Category } from "./category.ts";
import { namesOf, pick, selectNewFields } from "./fields.ts";
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

/** The kinds of subjects by the prefix of their event types. A subject is a kind with an id, such as `pets/12`. */
const kindsByPrefix = {
  pet: "pets",
  order: "orders",
  category: "categories",
  key: "keys",
  webhook: "webhooks",
} as const;
export type SubjectKind = (typeof kindsByPrefix)[keyof typeof kindsByPrefix];
export const subjectKinds: readonly SubjectKind[] = Object.values(kindsByPrefix);

export function subjectKindOf(type: EventType): SubjectKind {
  return kindsByPrefix[type.split(".")[0] as keyof typeof kindsByPrefix];
}

/** Kinds of subjects whose events only callers with the scope admin may see. */
export const adminSubjectKinds: ReadonlySet<SubjectKind> = new Set(["keys", "webhooks"]);

export const restrictedTypes: ReadonlySet<EventType> = new Set(
  eventTypes.filter((type) => adminSubjectKinds.has(subjectKindOf(type))),
);

export interface LoggedEvent {
  readonly position: number;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  /** The event as sent to clients, byte for byte. */
  readonly body: string;
}

export interface EventFilter {
  readonly types?: readonly EventType[] | undefined;
  readonly subject?: string | undefined;
}

/** The event log has an index on types and one on subjects. */
export type IndexedFilter =
  | { readonly types?: EventFilter["types"]; readonly subject?: never }
  | { readonly subject: string; readonly types?: never };

/** The cause of a write. */
export interface Origin {
  readonly actor: Actor;
  /** The id of the request; null if there is none. */
  readonly request: string | null;
  readonly at: number;
}

/** The id is null for a key that is not stored, and for the operator. */
export interface Actor {
  readonly id: number | null;
  readonly name: string;
}

/** The actor of CLI commands and of background work of the service. */
export const operator: Actor = { id: null, name: "operator" };

/** A change of a resource, which may not have an id yet. */
export interface Change {
  readonly type: EventType;
  readonly kind: SubjectKind;
  /** The resource as the API shows it, without its id; for a deletion, the last state of the resource. */
  readonly data: object;
  /** The previous values of the changed fields; null for a creation or a deletion. */
  readonly previous: object | null;
}

export interface IdentifiedChange extends Change {
  readonly id: Int64;
}

export function petCreated(pet: NewPet): Change {
  return { type: "pet.created", kind: "pets", data: pick(pet, newPetNames), previous: null };
}

const newPetNames = namesOf(selectNewFields(petFields));

export function petUpdated(before: Pet, after: Pet): IdentifiedChange[] {
  return findChanges("pet.updated", before, after);
}

export function toDeletion(type: "pet.deleted" | "category.unnamed", resource: Pet | Category): IdentifiedChange[] {
  return [toChange(type, resource, null)];
}

export function orderPlaced(order: Omit<Order, "id">): Change {
  return toChange("order.placed", presentOrder({ id: 0, ...order }), null);
}

export function orderClosed(before: Order, after: Order): IdentifiedChange[] {
  const type = after.status === "completed" ? "order.completed" : "order.cancelled";
  return findChanges(type, presentOrder(before), presentOrder(after));
}

export function categoryNamed(before: Category | undefined, after: Category): IdentifiedChange[] {
  return before ? findChanges("category.named", before, after) : [toChange("category.named", after, null)];
}

export function keyCreated(key: Omit<Key, "id" | "family">, now: number): Change {
  return toChange("key.created", presentKey({ id: 0, family: 0, ...key }, now), null);
}

export function keyChanged(type: EventType, before: Key, after: Key, now: number): IdentifiedChange[] {
  return findChanges(type, presentKey(before, now), presentKey(after, now));
}

export function webhookDisabled(before: Webhook, after: Webhook): IdentifiedChange[] {
  if (before.status === after.status || after.status !== "disabled") return [];
  const { status, disabledReason } = before;
  return [toChange("webhook.disabled", presentWebhook(after), { status, disabledReason })];
}

/** Returns an empty list if no field has changed. */
function findChanges<Resource extends { readonly id: Int64 }>(
  type: EventType,
  before: Resource,
  after: Resource,
): IdentifiedChange[] {
  const previous = Object.entries(before).filter(([field, value]) => after[field as keyof Resource] !== value);
  return previous.length === 0 ? [] : [toChange(type, after, Object.fromEntries(previous))];
}

function toChange(type: EventType, { id, ...data }: { readonly id: Int64 }, previous: object | null): IdentifiedChange {
  return { type, kind: subjectKindOf(type), id, data, previous };
}

/** The JSON of an event, cut at the two places for the id of the subject, which the database may assign later. */
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

/** Returns a random id, because clients must not be able to guess the ids of events that they may not see. */
export function newEventId(): string {
  return `evt_${crypto.randomUUID().replaceAll("-", "")}`;
}

export const eventIdLength = newEventId().length;
