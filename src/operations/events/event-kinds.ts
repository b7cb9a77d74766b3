import { type EventType as EventTypeName, eventTypes, subjectKindOf } from "../../domain/event.ts";
import { changeableFields, namesOf } from "../../domain/fields.ts";
import type { ClosedStatus } from "../../domain/order.ts";
import { type PetStatus, petFields } from "../../domain/pet.ts";
import { Category, exampleCategory } from "../categories/schemas.ts";
import { idPattern, objectSchema, optionalIdField, timeField } from "../fields.ts";
import { exampleKey, Key } from "../keys/schemas.ts";
import { exampleOrder, Order } from "../orders/schemas.ts";
import { examplePet, Pet } from "../pets/schemas.ts";
import type { ObjectSchema } from "../schema.ts";
import { exampleWebhook, Webhook } from "../webhooks/schemas.ts";

/** The documentation of a type of event. */
export interface EventKind {
  readonly type: EventTypeName;
  readonly summary: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

interface Description {
  readonly summary: string;
  readonly description: string;
  /** The schema of the subject, and an example of its state after the change. */
  readonly data: ObjectSchema;
  readonly example: { readonly id: number; readonly [field: string]: unknown };
  /** The changed fields of the example; absent for events that create or delete the subject. */
  readonly previous?: object;
  /** The fields that the event can change. Default: those of `previous`. */
  readonly changes?: readonly string[];
}

const animalSubject = { data: Pet, example: examplePet };
const categorySubject = { data: Category, example: exampleCategory };
const createdAt = exampleKey.createdAt;

const descriptions: Readonly<Record<EventTypeName, Description>> = {
  "pet.created": { summary: "An animal was added", description: "An animal was added to the store.", ...animalSubject },
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
    description: "An animal was deleted. `data` is its last state.",
    ...animalSubject,
  },
  "order.placed": {
    summary: "An order was placed",
    description:
      "An order was placed. The event of its animal, which became `pending`, precedes it, with the same `request`.",
    data: Order,
    example: exampleOrder,
  },
  "order.completed": describeClosing("completed", "sold"),
  "order.cancelled": describeClosing("cancelled", "available"),
  "category.named": {
    summary: "A category was named",
    description: "A category was given a name, or its name was changed.",
    ...categorySubject,
    previous: { name: "Puppies" },
  },
  "category.unnamed": {
    summary: "A category lost its name",
    description: "The name of a category was deleted. `data` is its last state; its animals stay.",
    ...categorySubject,
  },
  "key.created": {
    summary: "A key was created",
    description: "An API key was created, possibly as the successor of another one.",
    data: Key,
    example: exampleKey,
  },
  "key.rotated": {
    summary: "A key was rotated",
    description: "An API key was given a successor, whose own event follows, with the same `request`.",
    data: Key,
    example: { ...exampleKey, state: "retiring", expiresAt: "2026-11-16T10:00:00.000Z", rotatedAt: createdAt },
    previous: { state: "active", expiresAt: null, rotatedAt: null },
  },
  "key.revoked": {
    summary: "A key was revoked",
    description: "An API key was revoked.",
    data: Key,
    example: { ...exampleKey, state: "revoked", revokedAt: createdAt },
    previous: { state: "active", revokedAt: null },
  },
  "webhook.disabled": {
    summary: "A webhook was disabled",
    description:
      "A webhook was disabled, by a request or because it could not continue; `disabledReason` states the reason.",
    data: Webhook,
    example: { ...exampleWebhook, status: "disabled", disabledReason: "failures" },
    previous: { status: "enabled", disabledReason: null },
  },
};

function describeClosing(status: ClosedStatus, petStatus: PetStatus): Description {
  return {
    summary: `An order was ${status}`,
    description: `An order was ${status}. The event of its animal, which became \`${petStatus}\`, precedes it, with the same \`request\`.`,
    data: Order,
    example: { ...exampleOrder, status, updatedAt: "2026-11-15T11:30:00.000Z" },
    previous: { status: "placed", updatedAt: exampleOrder.updatedAt },
  };
}

export const EventId = {
  $id: "EventId",
  type: "string",
  pattern: "^evt_[0-9a-f]{32}$",
  description: "Random identifier of the event.",
} as const;

export const Actor = objectSchema(
  "Actor",
  "The API key that made the change. A key that is not stored has no `id`: `environment` is the key that the operator has configured, `operator` stands for the command line and the service itself.",
  {
    id: optionalIdField("Identifier of the key; null if it is not stored."),
    name: { type: "string", description: "Name of the key at that time." },
  },
);

/** The types of events, in their order in the OpenAPI document. */
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
        description: "The path of the changed resource, relative to the base path.",
      },
      actor: Actor,
      request: {
        type: ["string", "null"],
        description: "The `X-Request-Id` of the request that made the change; null if no request did.",
      },
      data,
      previous: previous
        ? {
            type: ["object", "null"],
            description: "The previous values of the changed fields; null if the resource is new.",
            minProperties: 1,
            propertyNames: { enum: changes },
          }
        : { type: "null", description: "Null, because the resource was created or deleted." },
    },
  );
  const fullExample = {
    id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
    type,
    timestamp: "2026-11-15T10:00:00.000Z",
    subject: `${subject}/${example.id}`,
    actor: { id: 2, name: "till 1" },
    request: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
    data: example,
    previous: previous ?? null,
  };
  return { type, summary, schema, example: fullExample };
}
