import { type EventType as EventTypeName, eventTypes, subjectKindOf } from "../../domain/event.ts";
import { changeableFields, namesOf } from "../../domain/fields.ts";
import { petFields } from "../../domain/pet.ts";
import { Category, exampleCategory } from "../categories.ts";
import { idPattern, objectSchema, optionalIdField, timeField } from "../fields.ts";
import { exampleKey, Key } from "../keys.ts";
import { exampleOrder, Order } from "../orders-and-inventory.ts";
import { examplePet, Pet } from "../pets.ts";
import type { ObjectSchema } from "../schema.ts";
import { exampleWebhook, Webhook } from "../webhooks.ts";

/** A type of event, as the document describes it. */
export interface EventKind {
  readonly type: EventTypeName;
  readonly summary: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

interface Description {
  readonly summary: string;
  readonly description: string;
  /** The schema and an example of the subject after the change. */
  readonly data: ObjectSchema;
  readonly example: { readonly id: number; readonly [field: string]: unknown };
  /** The changed fields of the example; absent if events of the type create or delete the subject. */
  readonly previous?: object;
  /** The fields that events of the type can change, if they are not those of the example. */
  readonly changes?: readonly string[];
}

const descriptions: Readonly<Record<EventTypeName, Description>> = {
  "pet.created": {
    summary: "An animal was added",
    description: "An animal was added to the store.",
    data: Pet,
    example: examplePet,
  },
  "pet.updated": {
    summary: "An animal was changed",
    description: "An animal was changed, by a request to it or by an order for it.",
    data: Pet,
    example: { ...examplePet, status: "pending" },
    previous: { status: "available" },
    changes: namesOf(changeableFields(petFields)),
  },
  "pet.deleted": {
    summary: "An animal was deleted",
    description: "An animal was deleted. `data` is what it was.",
    data: Pet,
    example: examplePet,
  },
  "order.placed": {
    summary: "An order was placed",
    description:
      "An order was placed. The event of its animal, which became `pending`, comes before, with the same `request`.",
    data: Order,
    example: exampleOrder,
  },
  "order.completed": {
    summary: "An order was completed",
    description:
      "An order was completed. The event of its animal, which became `sold`, comes before, with the same `request`.",
    data: Order,
    example: { ...exampleOrder, status: "completed", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt },
  },
  "order.cancelled": {
    summary: "An order was cancelled",
    description:
      "An order was cancelled. The event of its animal, which became `available`, comes before, with the same `request`.",
    data: Order,
    example: { ...exampleOrder, status: "cancelled", updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt },
  },
  "category.named": {
    summary: "A category was named",
    description: "A category got a name, or another one.",
    data: Category,
    example: exampleCategory,
    previous: { name: "Puppies" },
  },
  "category.unnamed": {
    summary: "A category lost its name",
    description: "The name of a category was deleted. `data` is what it was; its animals stay.",
    data: Category,
    example: exampleCategory,
  },
  "key.created": {
    summary: "A key was created",
    description: "An API key was created, or succeeds another one.",
    data: Key,
    example: exampleKey,
  },
  "key.rotated": {
    summary: "A key was rotated",
    description: "An API key was given a successor, whose own event comes after, with the same `request`.",
    data: Key,
    example: {
      ...exampleKey,
      state: "retiring",
      expiresAt: "2026-11-16T10:00:00.000Z",
      rotatedAt: "2026-11-15T10:00:00.000Z",
    },
    previous: { state: "active", expiresAt: null, rotatedAt: null },
  },
  "key.revoked": {
    summary: "A key was revoked",
    description: "An API key was revoked.",
    data: Key,
    example: { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T10:00:00.000Z" },
    previous: { state: "active", revokedAt: null },
  },
  "webhook.disabled": {
    summary: "A webhook was disabled",
    description: "A webhook was disabled: by a request, or because it could not go on, as its `disabledReason` says.",
    data: Webhook,
    example: { ...exampleWebhook, status: "disabled", disabledReason: "failures" },
    previous: { status: "enabled", disabledReason: null },
  },
};

export const EventId = {
  $id: "EventId",
  type: "string",
  pattern: "^evt_[0-9a-f]{32}$",
  description: "Identifies the event. Random.",
} as const;

export const Actor = objectSchema(
  "Actor",
  "The API key that did it. One that is not stored has no `id`: `environment` is the key that the operator has configured, `operator` whoever uses the command line.",
  {
    id: optionalIdField("Identifier of the key; null if it is not stored."),
    name: { type: "string", description: "Name of the key at that time." },
  },
);

/** Every type of event, in the order of the document. */
export const eventKinds: readonly EventKind[] = eventTypes.map(eventKind);

function eventKind(type: EventTypeName): EventKind {
  const { summary, description, data, example, previous, changes = Object.keys(previous ?? {}) } = descriptions[type];
  const subject = subjectKindOf(type);
  const schema = objectSchema(
    `${type.replaceAll(/(^|\.)(.)/g, (_, _dot, letter) => letter.toUpperCase())}Event`,
    description,
    {
      id: EventId,
      type: { type: "string", const: type, description: "What has happened." },
      timestamp: timeField("When it happened."),
      subject: {
        type: "string",
        pattern: `^${subject}/${idPattern}$`,
        description: "What it happened to, as a path below the base path where there is one.",
      },
      actor: Actor,
      request: {
        type: ["string", "null"],
        description: "The `X-Request-Id` of the request that did it; null if it was no request.",
      },
      data,
      previous: previous
        ? {
            type: ["object", "null"],
            description: "The fields that have changed, with what they were; null if it is new.",
            minProperties: 1,
            propertyNames: { enum: changes },
          }
        : { type: "null", description: "Nothing has changed: it is new, or gone." },
    },
  );
  const whole = {
    id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
    type,
    timestamp: "2026-11-15T10:00:00.000Z",
    subject: `${subject}/${example.id}`,
    actor: { id: 2, name: "till 1" },
    request: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
    data: example,
    previous: previous ?? null,
  };
  return { type, summary, schema, example: whole };
}
