import type { EventType, SubjectKind } from "../../domain/event.ts";
import { idPattern, optionalIdField, timeField } from "../fields.ts";
import type { ObjectSchema } from "../schema.ts";

export interface EventExample {
  readonly data: { readonly id: number; readonly [field: string]: unknown };
  readonly previous?: object;
}

/** What every event has, around what it is about. */
export function envelopeOf(
  { type, subject, description }: { type: EventType; subject: SubjectKind; description: string },
  data: ObjectSchema,
  changes: readonly string[] | undefined,
  example: EventExample,
): { schema: ObjectSchema; example: object } {
  const schema: ObjectSchema = {
    $id: schemaName(type),
    type: "object",
    description,
    required: ["id", "type", "timestamp", "subject", "actor", "request", "data", "previous"],
    properties: {
      id: EventId,
      type: { type: "string", const: type, description: "What has happened." },
      timestamp,
      subject: {
        type: "string",
        pattern: `^${subject}/${idPattern}$`,
        description: "What it happened to, as a path below the base path where there is one.",
      },
      actor: Actor,
      request,
      data,
      previous: previousOf(changes),
    },
  };
  const whole = {
    id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
    type,
    timestamp: "2026-11-15T10:00:00.000Z",
    subject: `${subject}/${example.data.id}`,
    actor: { id: 2, name: "till 1" },
    request: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
    data: example.data,
    previous: example.previous ?? null,
  };
  return { schema, example: whole };
}

export const EventId = {
  $id: "EventId",
  type: "string",
  pattern: "^evt_[0-9a-f]{32}$",
  description: "Identifies the event. Random.",
} as const;

const timestamp = timeField("When it happened.");

const request = {
  type: ["string", "null"],
  description: "The `X-Request-Id` of the request that did it; null if it was no request.",
} as const;

export const Actor = {
  $id: "Actor",
  type: "object",
  description:
    "The API key that did it. One that is not stored has no `id`: `environment` is the key that the operator has configured, `operator` whoever uses the command line.",
  required: ["id", "name"],
  properties: {
    id: optionalIdField("Identifier of the key; null if it is not stored."),
    name: { type: "string", description: "Name of the key at that time." },
  },
} as const;

function previousOf(changes: readonly string[] | undefined) {
  if (!changes) return { type: "null", description: "Nothing has changed: it is new, or gone." } as const;
  return {
    type: ["object", "null"],
    description: "The fields that have changed, with what they were; null if it is new.",
    minProperties: 1,
    propertyNames: { enum: changes },
  } as never;
}

/** `pet.created` is PetCreated in the document. */
function schemaName(type: EventType): string {
  return `${type
    .split(".")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Event`;
}
