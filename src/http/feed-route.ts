import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { PacedStream } from "../base/paced-stream.ts";
import { encodeEventCursor } from "../domain/event-cursor.ts";
import { preconditionFailed } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { streamEvents } from "../feed/event-stream.ts";
import { EventWait } from "../feed/event-wait.ts";
import { toCloudEvents, toJsonEvents } from "../feed/formats.ts";
import { SharedBatches } from "../feed/shared-batches.ts";
import { eventCursorField, newestFirst } from "../operations/events/list-events.ts";
import type { EventBatch } from "../operations/events/read-events.ts";
import type { Complaint } from "../operations/invalid-input.ts";
import type { Operation } from "../operations/operation.ts";
import { acceptsText, expects } from "../operations/schema.ts";
import type { WireRequest } from "../wire/message.ts";
import type { Exchange } from "./exchange.ts";
import { chooseEventFormat, type EventFormat, mediaTypes } from "./request/accept.ts";
import { type AnyInput, InputReader } from "./request/input.ts";
import { applyStrictPreference, parsePreferredWait } from "./request/preferences.ts";
import { computeEtag, isConditional, matchesIfMatch } from "./response/conditional.ts";
import { createSharedHeaders, type HttpResponse } from "./response/http-response.ts";
import { applyConditions } from "./response/representation.ts";
import { createReadContext, type Route, type RouteParts, reauthenticate, toStreamReader } from "./route-parts.ts";

export function createFeedRoute(operation: Operation, parts: RouteParts): Route {
  const { store, limits, readers } = parts;
  const reader = new InputReader(operation, limits.body);
  const batches = new SharedBatches();

  const read = ({ request }: Exchange, caller: Caller, input: AnyInput): Awaitable<EventBatch> => {
    const isConnected = () => !request.peer.isClosed;
    return batches.read(input.query, caller.scope, isConnected, (isClientConnected) => {
      const context = { ...createReadContext(parts, caller), isClientConnected };
      return operation.handle(input, context) as Awaitable<EventBatch>;
    });
  };
  const startWait = () => new EventWait(store.events, () => batches.forget());

  const poll = async (exchange: Exchange, caller: Caller, input: AnyInput, waitMs: number) => {
    const first = await read(exchange, caller, input);
    if (first.events.length > 0 || waitMs === 0 || readers.isDraining) return first;
    const startedAt = performance.now();
    const leave = readers.enter(caller, {
      check: () => reauthenticate(parts, exchange),
      refuse: (error) => wait.refuse(error),
      finish: () => wait.finish(),
    });
    const wait = startWait();
    exchange.request.peer.onEnd(() => wait.finish());
    const timer = setTimeout(() => wait.finish(), waitMs);
    try {
      for (let batch = first; ; ) {
        batch = await read(exchange, caller, continueFrom(input, batch));
        wait.requireAllowed();
        if (batch.events.length > 0 || wait.isOver) return batch;
        await wait.waitForEvents();
      }
    } finally {
      clearTimeout(timer);
      wait.finish();
      leave();
      exchange.idleMs += performance.now() - startedAt;
    }
  };

  const follow = async (exchange: Exchange, caller: Caller, input: AnyInput): Promise<HttpResponse> => {
    const { request } = exchange;
    if (!matchesIfMatch(request.headers.get("if-match"), "")) throw preconditionFailed();
    const cursor = request.headers.get("last-event-id");
    const resumedInput = cursor ? { ...input, query: { ...input.query, cursor } } : input;
    // An invalid cursor must get an error status, so the first batch is read before the stream begins.
    const first = await read(exchange, caller, resumedInput);
    const body = new PacedStream({ ...toStreamReader(exchange, parts), onGone: () => close() });
    const close = streamEvents(body, first, {
      startWait,
      read: (batch) => read(exchange, caller, continueFrom(input, batch)),
      check: () => reauthenticate(parts, exchange),
      enter: (reader) => readers.enter(caller, reader),
    });
    request.peer.onEnd(close);
    return { status: 200, headers: {}, shared: streamHeaders, body: body.readable, bodyBytes: 0 };
  };

  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const format = chooseEventFormat(request.headers.get("accept"));
    const isStrict = applyStrictPreference(exchange, prefer);
    if (format === "stream") {
      const input = reader.read(exchange, isStrict, (given) => findStreamComplaints(request, given));
      return follow(exchange, caller, input);
    }
    const input = reader.read(exchange, isStrict);
    // A list that starts with the newest event ends at the oldest event, so its last page never gets further events.
    const waitSeconds = input.query["sort"] === newestFirst ? 0 : parsePreferredWait(prefer);
    return mapAwaitable(poll(exchange, caller, input, waitSeconds * 1_000), (batch) => {
      const preferences = `${isStrict ? "handling=strict, " : ""}wait=${waitSeconds}`;
      if (waitSeconds > 0) exchange.headers["Preference-Applied"] = preferences;
      const response = toBatchResponse(operation, parts, input, batch, format);
      return isConditional(request) ? applyConditions(response, request) : response;
    });
  };
}

function continueFrom(input: AnyInput, { next }: EventBatch): AnyInput {
  return { ...input, query: { ...input.query, cursor: encodeEventCursor(next) } };
}

function toBatchResponse(
  operation: Operation,
  { urls }: RouteParts,
  { given }: AnyInput,
  batch: EventBatch,
  format: Exclude<EventFormat, "stream">,
): HttpResponse {
  const body = format === "json" ? toJsonEvents(batch) : toCloudEvents(batch, urls.base);
  const query = new URLSearchParams();
  for (const name of ["type", "subject", "sort", "limit"]) {
    if (given[name] !== undefined) query.set(name, String(given[name]));
  }
  query.set("cursor", encodeEventCursor(batch.next));
  const isLast = given["sort"] === newestFirst && !batch.hasMore;
  const link = isLast ? "" : `<${urls.base}${operation.path}?${query}>; rel="next"`;
  const headers = { ETag: computeEtag(body, link), ...(link !== "" && { Link: link }) };
  return { status: 200, shared: batchHeaders[format], body, headers };
}

function* findStreamComplaints({ headers }: WireRequest, { query }: AnyInput): Iterable<Complaint> {
  if (query["sort"] === newestFirst) {
    const message = "A stream has the order in which things happen: omit sort, or ask for application/json.";
    yield { pointer: "?sort", message };
  }
  const cursor = headers.get("last-event-id");
  if (cursor && !eventCursorField[acceptsText](cursor)) {
    yield { pointer: "Last-Event-ID", message: `Last-Event-ID must be ${eventCursorField[expects]}.` };
  }
}

const readHeaders = { "Cache-Control": "private, no-cache", Vary: "Accept" };
const batchHeaders = {
  json: createSharedHeaders({ ...readHeaders, "Content-Type": mediaTypes.json }),
  cloudevents: createSharedHeaders({ ...readHeaders, "Content-Type": mediaTypes.cloudevents }),
};
const streamHeaders = createSharedHeaders({
  "Cache-Control": "private, no-cache",
  "Content-Type": mediaTypes.stream,
  Vary: "Accept",
  // Tells nginx not to buffer the stream.
  "X-Accel-Buffering": "no",
});
