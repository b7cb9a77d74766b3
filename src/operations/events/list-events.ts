import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { ServiceError } from "../../domain/errors.ts";
import {
  adminSubjects,
  type EventFilter,
  type EventType as EventTypeName,
  eventTypes,
  restrictedTypes,
  subjectKinds,
} from "../../domain/event.ts";
import { decodeEventCursor, type EventCursor } from "../../domain/event-cursor.ts";
import { includesScope } from "../../domain/key.ts";
import type { EventStore } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { idPattern, limitField, pageSchema } from "../fields.ts";
import { examplePet } from "../pets/schemas.ts";
import { acceptsText, expects, type JsonSchema, whenAbsent } from "../schema.ts";
import { Actor, EventId, eventKinds } from "./event-kinds.ts";
import { newestCursor, readEvents, readEventsBack } from "./read-events.ts";

const EventType = {
  $id: "EventType",
  type: "string",
  enum: eventTypes,
  description: "What has happened.",
} as const;

/** An event of any type. */
const Event = {
  $id: "Event",
  type: "object",
  description: "Something that has happened. The bytes of an event never change.",
  oneOf: eventKinds.map(({ schema }) => schema),
} as const;

const Events = pageSchema("Events", "A page of events.", Event);

const CloudEvent = {
  $id: "CloudEvent",
  type: "object",
  description: "The same event as a CloudEvent 1.0.",
  required: ["specversion", "id", "source", "type", "time", "subject", "datacontenttype", "data"],
  properties: {
    specversion: { type: "string", const: "1.0" },
    id: { type: "string", description: "Identifies the event." },
    source: { type: "string", format: "uri-reference", description: "The base path of the API." },
    type: EventType,
    time: { type: "string", format: "date-time", description: "When it happened." },
    subject: { type: "string", description: "What it happened to." },
    datacontenttype: { type: "string", const: "application/json" },
    actorid: { type: "integer", format: "int64", description: "Identifier of the key that did it, if it is stored." },
    actorname: { type: "string", description: "Name of the key that did it." },
    requestid: { type: "string", description: "The `X-Request-Id` of the request that did it, if it was one." },
    data: {
      type: "object",
      description: "What it happened to, and what has changed.",
      required: ["current", "previous"],
      properties: {
        current: { type: "object", description: "`data` of the event." },
        previous: { type: ["object", "null"], description: "`previous` of the event." } as unknown as JsonSchema,
      },
    },
  },
} as const;

const CloudEvents = pageSchema("CloudEvents", "A page of events in the batch format of CloudEvents.", CloudEvent);

const exampleCloudEvent = {
  specversion: "1.0",
  id: "evt_3f2b8c1d5e6a47908b7c6d5e4f3a2b1c",
  source: "/v1",
  type: "pet.created",
  time: "2026-11-15T10:00:00.000Z",
  subject: "pets/1",
  datacontenttype: "application/json",
  actorid: 2,
  actorname: "till 1",
  requestid: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
  data: { current: examplePet, previous: null },
} as const;

const exampleStream = `id: 11.J0bhlWDPQ9Mpw0\nevent: pet.created\ndata: ${JSON.stringify(eventKinds[0]?.example)}\n\n`;

const typePattern = eventTypes.map((type) => type.replace(".", "\\.")).join("|");

const typesField = {
  type: "string",
  pattern: `^(${typePattern})(,(${typePattern})){0,${eventTypes.length - 1}}$`,
  description: "Returns only events of this type, or of these, separated by commas.",
  examples: ["pet.created,pet.updated"],
  [expects]: `one or more of ${eventTypes.join(", ")}, separated by commas`,
} as const;

const subjectField = {
  type: "string",
  pattern: `^(${subjectKinds.join("|")})/${idPattern}$`,
  description: "Returns only events of this: `pets/12` gives the history of animal 12.",
  examples: ["pets/12"],
  [expects]: `one of ${subjectKinds.join(", ")}, a slash, and an id, such as pets/12`,
} as const;

/** The value of `sort` by which the list starts with the newest event. */
export const newestFirst = "-position";
const eventOrders = ["position", newestFirst] as const;

const eventSortField = {
  type: "string",
  enum: eventOrders,
  description: `In which order the events come: \`position\` is the order in which they happened, which is also the default, \`${newestFirst}\` the newest first, which a stream cannot have and which nothing is waited for with.`,
  [whenAbsent]: "position",
  [expects]: `one of ${eventOrders.join(", ")}`,
} as const;

export const latest = "latest";

export const eventCursorField = {
  type: "string",
  description: `Where to go on. Opaque: follow the \`next\` URL in the \`Link\` header, or take the \`id\` of a message of the stream. \`${latest}\` starts after the newest event. Without it, the first event in the order of the list that is kept comes first. A cursor is a place in the log, and can be used with any filter and in both orders.`,
  examples: [latest],
  [expects]: `one that this operation returned, or ${latest}; omit it to start at the beginning`,
  [acceptsText]: (text: string) => text === latest || decodeEventCursor(text) !== undefined,
} as const;

export const listEvents = operation({
  id: "listEvents",
  endpoint: "GET /events",
  summary: "List events, or follow them",
  description:
    "Returns what has happened to animals, orders, categories, keys and webhooks, in the order in which it happened unless you `sort` it otherwise. Each event says which key did it, in which request, what the result is and what was before. `Link` always has a `next`: follow it to go on, at once or days later, and you miss nothing. With `sort=-position`, the newest comes first, `next` leads to older ones, and the last page has none. " +
    "With `Prefer: wait=20`, a request for which there is nothing yet waits up to that many seconds, at most 30. With `Accept: text/event-stream`, the response is a stream of server-sent events that does not end: the `id` of a message is the cursor after it, and `Last-Event-ID` resumes.\n\n" +
    "Events are kept for 30 days, unless the operator has chosen otherwise; a cursor from before gets 410. After an earlier state of the store was restored, a cursor of what is lost gets 409. Events of keys and webhooks are shown to keys with the scope `admin` alone.",
  query: { type: typesField, subject: subjectField, sort: eventSortField, limit: limitField, cursor: eventCursorField },
  isFeed: true,
  success: {
    description: "A page of events, or a stream of them.",
    schema: Events,
    examples: {
      page: { summary: "Two events", value: eventKinds.slice(0, 2).map(({ example }) => example) },
      none: { summary: "Nothing has happened since", value: [] },
    },
    otherTypes: {
      "application/cloudevents-batch+json": {
        schema: CloudEvents,
        examples: { page: { summary: "An event", value: [exampleCloudEvent] } },
      },
      "text/event-stream": {
        schema: { type: "string", description: "Server-sent events: `data` is an event, `id` the cursor after it." },
        examples: { stream: { summary: "The start of a stream", value: exampleStream } },
      },
    },
  },
  errors: ["Forbidden", "Conflict", "Gone"],
  handle({ query: { type, subject, sort, limit, cursor } }, { store, caller, isClientConnected }) {
    const seesAll = includesScope(caller.scope, "admin");
    const filter: EventFilter = { types: type === undefined ? undefined : typesIn(type), subject };
    if (!seesAll) requireVisible(filter);
    const read = sort === newestFirst ? readEventsBack : readEvents;
    return mapAwaitable(startOf(store.events, cursor), (start) =>
      read(store.events, { filter, limit, seesAll, isClientConnected }, start),
    );
  },
});

function typesIn(text: string): EventTypeName[] {
  return [...new Set(text.split(","))] as EventTypeName[];
}

function startOf(log: EventStore, cursor: string | undefined): Awaitable<EventCursor | undefined> {
  if (cursor === undefined) return undefined;
  return cursor === latest ? newestCursor(log) : decodeEventCursor(cursor);
}

/** Throws Forbidden for events that need the scope admin: an empty page would look as if nothing had happened. */
function requireVisible({ types = [], subject = "" }: EventFilter): void {
  const kind = subjectKinds.find((one) => subject.startsWith(`${one}/`));
  if (types.some((type) => restrictedTypes.has(type)) || (kind && adminSubjects.has(kind)))
    throw new ServiceError("Forbidden", "Events of keys and webhooks need a key with the scope admin.");
}

export const eventSchemas = [
  EventType,
  EventId,
  Actor,
  ...eventKinds.map(({ schema }) => schema),
  Event,
  Events,
  CloudEvent,
  CloudEvents,
];
