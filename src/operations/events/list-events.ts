import { mapAwaitable } from "../../base/awaitable.ts";
import { ServiceError } from "../../domain/errors.ts";
import {
  adminSubjectKinds,
  type EventFilter,
  type EventType as EventTypeName,
  eventTypes,
  restrictedTypes,
  subjectKinds,
} from "../../domain/event.ts";
import { decodeEventCursor } from "../../domain/event-cursor.ts";
import { includesScope } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { choiceField, idPattern, limitField, pageSchema } from "../fields.ts";
import { examplePet } from "../pets/schemas.ts";
import { acceptsText, expects, type JsonSchema, whenAbsent } from "../schema.ts";
import { Actor, EventId, eventKinds } from "./event-kinds.ts";
import { readEvents, readEventsBack, readNewestCursor } from "./read-events.ts";

const EventType = { $id: "EventType", type: "string", enum: eventTypes, description: "What has happened." } as const;

const kindSchemas = eventKinds.map(({ schema }) => schema);

const Event = {
  $id: "Event",
  type: "object",
  description: "An event of any type. The bytes of an event never change.",
  oneOf: kindSchemas,
} as const;

const Events = pageSchema("Events", "A page of events.", Event);

const CloudEvent = {
  $id: "CloudEvent",
  type: "object",
  description: "An event in the format of CloudEvents 1.0.",
  required: ["specversion", "id", "source", "type", "time", "subject", "datacontenttype", "data"],
  properties: {
    specversion: { type: "string", const: "1.0" },
    id: { type: "string", description: "Identifies the event." },
    source: { type: "string", format: "uri-reference", description: "The base path of the API." },
    type: EventType,
    time: { type: "string", format: "date-time", description: "When the change happened." },
    subject: { type: "string", description: "The resource that was changed." },
    datacontenttype: { type: "string", const: "application/json" },
    actorid: { type: "integer", format: "int64", description: "Identifier of the key, if it is stored." },
    actorname: { type: "string", description: "Name of the key that made the change." },
    requestid: { type: "string", description: "The `X-Request-Id` of the request, if there was one." },
    data: {
      type: "object",
      description: "The state of the resource, and the previous values of its changed fields.",
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
  description: "Returns only events of this type, or of one of several types that are separated by commas.",
  examples: ["pet.created,pet.updated"],
  [expects]: `one or more of ${eventTypes.join(", ")}, separated by commas`,
} as const;

const subjectField = {
  type: "string",
  pattern: `^(${subjectKinds.join("|")})/${idPattern}$`,
  description: "Returns only events of this resource: `pets/12` gives the history of animal 12.",
  examples: ["pets/12"],
  [expects]: `one of ${subjectKinds.join(", ")}, a slash, and an id, such as pets/12`,
} as const;

export const newestFirst = "-position";

const eventSortField = {
  ...choiceField(
    ["position", newestFirst],
    `The order of the events: \`position\` for the order in which they happened, which is the default, or \`${newestFirst}\` for the newest first, which neither streams nor waiting requests support.`,
  ),
  [whenAbsent]: "position",
} as const;

export const latest = "latest";

export const eventCursorField = {
  type: "string",
  description: `The position from which to continue. Opaque: follow the \`next\` URL in the \`Link\` header, or use the \`id\` of a message of the stream. \`${latest}\` starts after the newest event. Default: the start of the list. A cursor is a position in the log, and can be used with any filter and in both orders.`,
  examples: [latest],
  [expects]: `one that this operation returned, or ${latest}; omit it to start at the beginning`,
  [acceptsText]: (text: string) => text === latest || decodeEventCursor(text) !== undefined,
} as const;

export const listEvents = operation({
  id: "listEvents",
  endpoint: "GET /events",
  summary: "List events, or follow them",
  description:
    "Returns the changes to animals, orders, categories, keys and webhooks, in the order in which they happened unless you `sort` them otherwise. Each event states the key and the request that made the change, the result, and the previous values. `Link` always has a `next`: follow it to continue, immediately or days later, without missing an event. With `sort=-position`, the newest event comes first, `next` leads to older ones, and the last page has none. " +
    "With `Prefer: wait=20`, a request without new events waits for one for up to that many seconds, at most 30. With `Accept: text/event-stream`, the response is an endless stream of server-sent events: the `id` of a message is the cursor after it, and `Last-Event-ID` resumes.\n\n" +
    "Events are kept for 30 days, unless the operator has chosen otherwise; an older cursor gets 410. After an earlier state of the store has been restored, the cursor of a lost event gets 409. Only keys with the scope `admin` see the events of keys and webhooks.",
  query: { type: typesField, subject: subjectField, sort: eventSortField, limit: limitField, cursor: eventCursorField },
  isFeed: true,
  success: {
    description: "A page of events, or a stream of them.",
    schema: Events,
    examples: {
      page: ["Two events", eventKinds.slice(0, 2).map(({ example }) => example)],
      none: ["Nothing has happened since", []],
    },
    otherTypes: {
      "application/cloudevents-batch+json": {
        schema: CloudEvents,
        examples: { page: ["An event", [exampleCloudEvent]] },
      },
      "text/event-stream": {
        schema: { type: "string", description: "Server-sent events: `data` is an event, `id` the cursor after it." },
        examples: { stream: ["The start of a stream", exampleStream] },
      },
    },
  },
  errors: ["Forbidden", "Conflict", "Gone"],
  handle({ query: { type, subject, sort, limit, cursor } }, { store, caller, isClientConnected }) {
    const isAdmin = includesScope(caller.scope, "admin");
    const types = type?.split(",") as EventTypeName[] | undefined;
    const filter: EventFilter = { types: types && [...new Set(types)], subject };
    if (!isAdmin) requireVisible(filter);
    const read = sort === newestFirst ? readEventsBack : readEvents;
    const start = cursor === latest ? readNewestCursor(store.events) : decodeEventCursor(cursor ?? "");
    return mapAwaitable(start, (start) => read(store.events, { filter, limit, isAdmin, isClientConnected }, start));
  },
});

/** Refuses a filter that names hidden events: to omit them silently would suggest that there are none. */
function requireVisible({ types = [], subject = "" }: EventFilter): void {
  const kind = subjectKinds.find((one) => subject.startsWith(`${one}/`));
  if (types.some((type) => restrictedTypes.has(type)) || (kind && adminSubjectKinds.has(kind)))
    throw new ServiceError("Forbidden", "Events of keys and webhooks need a key with the scope admin.");
}

export const eventSchemas = [EventType, EventId, Actor, ...kindSchemas, Event, Events, CloudEvent, CloudEvents];
