import { type EventType as EventTypeName, eventTypes, type SubjectKind, subjectKindOf } from "../../domain/event.ts";
import { namesOf, selectChangeableFields } from "../../domain/fields.ts";
import type { ClosedStatus } from "../../domain/order.ts";
import { type PetStatus, petFields } from "../../domain/pet.ts";
import { Category, exampleCategory } from "../categories/schemas.ts";
import { idPattern, objectSchema, optionalIdField, timeField } from "../fields.ts";
import { exampleKey, Key } from "../keys/schemas.ts";
import { exampleOrder, Order } from "../orders/schemas.ts";
import { examplePet, Pet } from "../pets/schemas.ts";
import type { ObjectSchema } from "../schema.ts";
import { exampleWebhook, Webhook } from "../webhooks/schemas.ts";

export interface EventKind {
  readonly type: EventTypeName;
  readonly summary: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

/** The documentation of an event type. The first clause of the description is also the summary. */
interface Description {
  readonly description: string;
  /** The changed fields of the example, before and after the change. Absent for events that create or delete the subject. */
  readonly change?: readonly [before: object, after: object];
  /** The fields whose previous values the event can contain. Default: the fields of `change`. */
  readonly changes?: readonly string[];
}

const keyChangedAt = "2026-11-15T10:00:00.000Z";

const descriptions: Readonly<Record<EventTypeName, Description>> = {
  "pet.created": { description: "An animal was added." },
  "pet.updated": {
    description: "An animal was changed, by a request to it or by an order for it.",
    change: [{ status: "available" }, { status: "pending" }],
    changes: namesOf(selectChangeableFields(petFields)),
  },
  "pet.deleted": { description: "An animal was deleted. `data` is its last state." },
  "order.placed": {
    description:
      "An order was placed. The event of its animal, which became `pending`, precedes it, with the same `request`.",
  },
  "order.completed": describeClosing("completed", "sold"),
  "order.cancelled": describeClosing("cancelled", "available"),
  "category.named": {
    description: "A category was named, or its name was changed.",
    change: [{ name: "Puppies" }, {}],
  },
  "category.unnamed": { description: "A category lost its name. `data` is its last state; its animals stay." },
  "key.created": { description: "A key was created, possibly as the successor of another one." },
  "key.rotated": {
    description: "A key was rotated. The event of its successor follows, with the same `request`.",
    change: [
      { state: "active", expiresAt: null, rotatedAt: null },
      { state: "retiring", expiresAt: "2026-11-16T10:00:00.000Z", rotatedAt: keyChangedAt },
    ],
  },
  "key.revoked": {
    description: "A key was revoked.",
    change: [
      { state: "active", revokedAt: null },
      { state: "revoked", revokedAt: keyChangedAt },
    ],
  },
  "webhook.disabled": {
    description:
      "A webhook was disabled, by a request or because it could not continue; `disabledReason` states the reason.",
    change: [
      { status: "enabled", disabledReason: null },
      { status: "disabled", disabledReason: "failures" },
    ],
  },
};

function describeClosing(status: ClosedStatus, petStatus: PetStatus): Description {
  return {
    description: `An order was ${status}. The event of its animal, which became \`${petStatus}\`, precedes it, with the same \`request\`.`,
    change: [
      { status: "placed", updatedAt: exampleOrder.updatedAt },
      { status, updatedAt: "2026-11-15T11:30:00.000Z" },
    ],
  };
}

/** The schema of each kind of subject, with an example. */
const subjects: Readonly<Record<SubjectKind, readonly [schema: ObjectSchema, example: { readonly id: number }]>> = {
  pets: [Pet, examplePet],
  orders: [Order, exampleOrder],
  categories: [Category, exampleCategory],
  keys: [Key, exampleKey],
  webhooks: [Webhook, exampleWebhook],
};

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

export const eventKinds: readonly EventKind[] = eventTypes.map(describeEventKind);

function describeEventKind(type: EventTypeName): EventKind {
  const { description, change, changes = Object.keys(change?.[0] ?? {}) } = descriptions[type];
  const [summary = ""] = description.split(/[.,]/);
  const subject = subjectKindOf(type);
  const [data, example] = subjects[subject];
  const schema = objectSchema(
    `${type.replaceAll(/(^|\.)(.)/g, (_, _dot, letter) => letter.toUpperCase())}Event`,
    description,
    {
      id: EventId,
      type: { type: "string", const: type, description: "What has happened." },
      timestamp: timeField("When the change happened."),
      subject: {
        type: "string",
        pattern: `^${subject}/${idPattern}$`,
        description: "The path of the changed resource, relative to the base path.",
      },
      actor: Actor,
      request: { type: ["string", "null"], description: "The `X-Request-Id` of the request, if there was one." },
      data,
      previous: change
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
    data: { ...example, ...change?.[1] },
    previous: change?.[0] ?? null,
  };
  return { type, summary, schema, example: fullExample };
}
