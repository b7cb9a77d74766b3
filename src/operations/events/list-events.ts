import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { ServiceError } from "../../domain/errors.ts";
import { adminSubjects, type EventFilter, type EventType, isRestricted, subjectKinds } from "../../domain/event.ts";
import { decodeEventCursor, type EventCursor } from "../../domain/event-cursor.ts";
import { includesScope } from "../../domain/key.ts";
import type { EventStore } from "../../store/store.ts";
import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { newestCursor, readEvents, readEventsBack } from "./read-events.ts";
import {
  CloudEvents,
  Events,
  eventCursorField,
  eventKinds,
  eventSortField,
  exampleCloudEvent,
  exampleStream,
  latest,
  newestFirst,
  subjectField,
  typesField,
} from "./schemas.ts";

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
  handle({ query: { type, subject, sort, limit, cursor } }, { store, caller, isAwaited }) {
    const seesAll = includesScope(caller.scope, "admin");
    const filter: EventFilter = { types: type === undefined ? undefined : typesIn(type), subject };
    if (!seesAll) requireVisible(filter);
    const read = sort === newestFirst ? readEventsBack : readEvents;
    return mapAwaitable(startOf(store.events, cursor), (start) =>
      read(store.events, { filter, limit, seesAll, isAwaited }, start),
    );
  },
});

function typesIn(text: string): EventType[] {
  return [...new Set(text.split(","))] as EventType[];
}

function startOf(log: EventStore, cursor: string | undefined): Awaitable<EventCursor | undefined> {
  if (cursor === undefined) return undefined;
  return cursor === latest ? newestCursor(log) : decodeEventCursor(cursor);
}

/** Throws Forbidden for events that need the scope admin: an empty page would look as if nothing had happened. */
function requireVisible({ types = [], subject = "" }: EventFilter): void {
  const kind = subjectKinds.find((one) => subject.startsWith(`${one}/`));
  if (types.some(isRestricted) || (kind && adminSubjects.has(kind)))
    throw new ServiceError("Forbidden", "Events of keys and webhooks need a key with the scope admin.");
}
