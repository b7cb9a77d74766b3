import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { PacedStream } from "../base/paced-stream.ts";
import { encodeEventCursor } from "../domain/event-cursor.ts";
import { preconditionFailed } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { EventStream } from "../feed/event-stream.ts";
import { EventWait } from "../feed/event-wait.ts";
import { cloudEventsOf, jsonOf } from "../feed/formats.ts";
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
import { prefersStrict, waitPreferred } from "./request/preferences.ts";
import { etagOf, isConditional, matchesIfMatch } from "./response/conditional.ts";
import { sharedHeaders } from "./response/header-block.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { onCondition } from "./response/representation.ts";
import { contextOfRead, type Route, type RouteParts, reauthenticate } from "./route-parts.ts";
import { streamReader } from "./stream-reader.ts";

/** The route of the operation that reads events: at once, as soon as there are some, or on and on. */
export function feedRoute(operation: Operation, parts: RouteParts): Route {
  const { store, limits, readers } = parts;
  const reader = new InputReader(operation, limits.body);
  const batches = new SharedBatches();

  const read = ({ request }: Exchange, caller: Caller, input: AnyInput): Awaitable<EventBatch> => {
    const isThere = () => !request.peer.isClosed;
    return batches.read(input.query, caller.scope, isThere, (isAwaited) => {
      const context = { ...contextOfRead(parts, caller), isClientConnected: isAwaited };
      return operation.handle(input, context) as Awaitable<EventBatch>;
    });
  };
  const check = (exchange: Exchange): Awaitable<Caller> => reauthenticate(parts, exchange);
  const waitForMore = () => new EventWait(store.events, () => batches.forget());

  const readAtOnce = async (exchange: Exchange, caller: Caller, input: AnyInput, waitMs: number) => {
    const first = await read(exchange, caller, input);
    if (first.events.length > 0 || waitMs === 0 || readers.isLeaving) return first;
    const begunAt = performance.now();
    const wait = waitForMore();
    exchange.request.peer.onEnd(() => wait.finish());
    const timer = setTimeout(() => wait.finish(), waitMs);
    let leave: (() => void) | undefined;
    try {
      leave = readers.enter(caller, {
        check: () => check(exchange),
        refuse: (error) => wait.refuse(error),
        finish: () => wait.finish(),
      });
      for (let from = first; ; ) {
        from = await read(exchange, caller, continued(input, from));
        // The key may have been revoked meanwhile.
        wait.requireAllowed();
        if (from.events.length > 0 || wait.isOver) return from;
        await wait.forMore();
      }
    } catch (error) {
      // A refused reader did not get what it preferred.
      delete exchange.headers["Preference-Applied"];
      throw error;
    } finally {
      clearTimeout(timer);
      wait.finish();
      leave?.();
      exchange.idleMs += performance.now() - begunAt;
    }
  };

  const follow = async (exchange: Exchange, caller: Caller, input: AnyInput): Promise<HttpResponse> => {
    const { request } = exchange;
    if (!matchesIfMatch(request.headers.get("if-match"), "")) throw preconditionFailed();
    const resumed = request.headers.get("last-event-id");
    const from = resumed ? { ...input, query: { ...input.query, cursor: resumed } } : input;
    // A wrong cursor gets an error status, so it is read before the stream begins.
    const first = await read(exchange, caller, from);
    const body = new PacedStream({ ...streamReader(exchange, parts), onGone: () => stream.close() });
    const stream = new EventStream(waitForMore(), body, first, {
      read: (batch) => read(exchange, caller, continued(input, batch)),
      check: () => check(exchange),
      enter: (reader) => readers.enter(caller, reader),
    });
    request.peer.onEnd(() => stream.close());
    return { status: 200, headers: {}, shared: ofStreams, body: body.readable, bodyBytes: 0 };
  };

  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const isStrict = prefersStrict(prefer);
    const format = chooseEventFormat(request.headers.get("accept"));
    const isStream = format === "stream";
    const preferredSeconds = isStream ? 0 : waitPreferred(prefer);
    applyPreferences(exchange, isStrict, preferredSeconds);
    const input = reader.read(exchange, isStrict, (given) => (isStream ? complainOfStream(request, given) : []));
    if (isStream) return follow(exchange, caller, input);
    // Older events do not arrive later.
    const waitSeconds = input.query["sort"] === newestFirst ? 0 : preferredSeconds;
    applyPreferences(exchange, isStrict, waitSeconds);
    return mapAwaitable(readAtOnce(exchange, caller, input, waitSeconds * 1_000), (batch) => {
      const reply = replyOf(operation, parts, input, batch, format);
      return isConditional(request) ? onCondition(reply, request) : reply;
    });
  };
}

/** Says in the response, however it ends, what of the client's preferences is followed. */
function applyPreferences({ headers }: Exchange, isStrict: boolean, waitSeconds: number): void {
  const applied = [...(isStrict ? ["handling=strict"] : []), ...(waitSeconds > 0 ? [`wait=${waitSeconds}`] : [])];
  if (applied.length > 0) headers["Preference-Applied"] = applied.join(", ");
  else delete headers["Preference-Applied"];
}

/** The same request, from where the batch ended. */
function continued(input: AnyInput, { next }: EventBatch): AnyInput {
  return { ...input, query: { ...input.query, cursor: encodeEventCursor(next) } };
}

function replyOf(
  operation: Operation,
  { addresses }: RouteParts,
  { given }: AnyInput,
  batch: EventBatch,
  format: Exclude<EventFormat, "stream">,
): HttpResponse {
  const body = format === "json" ? jsonOf(batch) : cloudEventsOf(batch, addresses.base);
  const query = new URLSearchParams();
  for (const name of ["type", "subject", "sort", "limit"]) {
    if (given[name] !== undefined) query.set(name, String(given[name]));
  }
  query.set("cursor", encodeEventCursor(batch.next));
  const isLast = given["sort"] === newestFirst && !batch.hasMore;
  const link = isLast ? "" : `<${addresses.base}${operation.path}?${query}>; rel="next"`;
  const headers = { ETag: etagOf(body, link), ...(link !== "" && { Link: link }) };
  return { status: 200, shared: ofBatches[format], body, headers };
}

/** Complains about an order that a stream cannot have, and about a place where it cannot resume. */
function* complainOfStream({ headers }: WireRequest, { query }: AnyInput): Iterable<Complaint> {
  if (query["sort"] === newestFirst) {
    const message = "A stream has the order in which things happen: omit sort, or ask for application/json.";
    yield { pointer: "?sort", message };
  }
  const resumed = headers.get("last-event-id");
  if (resumed && !eventCursorField[acceptsText](resumed)) {
    yield { pointer: "Last-Event-ID", message: `Last-Event-ID must be ${eventCursorField[expects]}.` };
  }
}

const ofReads = { "Cache-Control": "private, no-cache", Vary: "Accept" };
const ofBatches = {
  json: sharedHeaders({ ...ofReads, "Content-Type": mediaTypes.json }),
  cloudevents: sharedHeaders({ ...ofReads, "Content-Type": mediaTypes.cloudevents }),
};
/** Proxies must not hold back what they are sent. */
const ofStreams = sharedHeaders({
  "Cache-Control": "private, no-cache",
  "Content-Type": mediaTypes.stream,
  Vary: "Accept",
  "X-Accel-Buffering": "no",
});
