import { eventTypes, subjectKinds } from "../../domain/event.ts";
import { decodeEventCursor } from "../../domain/event-cursor.ts";
import { idPattern, largestLimit } from "../fields.ts";
import { acceptsText, expects, type JsonSchema, whenAbsent } from "../schema.ts";
import { eventKinds } from "./event-kinds.ts";

export const EventType = {
  $id: "EventType",
  type: "string",
  enum: eventTypes,
  description: "What has happened.",
} as const;

/** An event of any type. */
export const Event = {
  $id: "Event",
  type: "object",
  description: "Something that has happened. The bytes of an event never change.",
  oneOf: eventKinds.map(({ schema }) => schema),
} as const;

export const Events = {
  $id: "Events",
  type: "array",
  description: "A page of events.",
  maxItems: largestLimit,
  items: Event,
} as const;

export const CloudEvent = {
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

export const CloudEvents = {
  $id: "CloudEvents",
  type: "array",
  description: "A page of events in the batch format of CloudEvents.",
  maxItems: largestLimit,
  items: CloudEvent,
} as const;

const [petCreated] = eventKinds;

export const exampleCloudEvent = {
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
  data: { current: { id: 1, name: "Rex", categoryId: 7, status: "available" }, previous: null },
} as const;

export const exampleStream = `id: 11.J0bhlWDPQ9Mpw0\nevent: pet.created\ndata: ${JSON.stringify(petCreated?.example)}\n\n`;

const typePattern = eventTypes.map((type) => type.replace(".", "\\.")).join("|");

/** Several are separated by commas. */
export const typesField = {
  type: "string",
  pattern: `^(${typePattern})(,(${typePattern})){0,${eventTypes.length - 1}}$`,
  description: "Returns only events of this type, or of these, separated by commas.",
  examples: ["pet.created,pet.updated"],
  [expects]: `one or more of ${eventTypes.join(", ")}, separated by commas`,
} as const;

export const subjectField = {
  type: "string",
  pattern: `^(${subjectKinds.join("|")})/${idPattern}$`,
  description: "Returns only events of this: `pets/12` gives the history of animal 12.",
  examples: ["pets/12"],
  [expects]: `one of ${subjectKinds.join(", ")}, a slash, and an id, such as pets/12`,
} as const;

/** The order of the list in which it begins with what happened last. */
export const newestFirst = "-position";
const eventOrders = ["position", newestFirst] as const;

export const eventSortField = {
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
