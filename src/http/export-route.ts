import type { Awaitable } from "../base/awaitable.ts";
import { toJson } from "../base/json.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { PacedStream } from "../base/paced-stream.ts";
import { Throttled, tooManyExports } from "../domain/errors.ts";
import { beforeFirst, cursorAfter, encodeEventCursor } from "../domain/event-cursor.ts";
import { preconditionFailed } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { recheckIntervalMs } from "../feed/readers.ts";
import { listEvents } from "../operations/events/list-events.ts";
import type { Export, Operation } from "../operations/operation.ts";
import type { LogMark } from "../store/store.ts";
import { HttpError } from "./http-error.ts";
import { InputReader } from "./request/input.ts";
import { followPreference } from "./request/preferences.ts";
import { matchesIfMatch } from "./response/conditional.ts";
import { sharedHeaders } from "./response/header-block.ts";
import { contextOfRead, type Route, type RouteParts, reauthenticate } from "./route-parts.ts";
import { streamReader } from "./stream-reader.ts";

/** The route of an operation that sends all there is, as it is read. */
export function exportRoute(operation: Operation, parts: RouteParts): Route {
  const { limits, addresses } = parts;
  const reader = new InputReader(operation, limits.body);
  const shared = sharedHeaders({
    "Cache-Control": "private, no-cache",
    "Content-Type": operation.success.mediaType ?? "",
  });
  const running = new Set<Caller["family"]>();
  let refusedAt = Number.NEGATIVE_INFINITY;
  const minBytesPerMs = () => (performance.now() - refusedAt < waitMs ? limits.minExportBytesPerMs : 1);
  return async (exchange, caller) => {
    const input = reader.read(exchange, followPreference(exchange, exchange.request.headers.get("prefer")));
    // It has no ETag that could match.
    if (!matchesIfMatch(exchange.request.headers.get("if-match"), "")) throw preconditionFailed();
    if (running.has(caller.family) || running.size >= maxExports) {
      refusedAt = performance.now();
      throw tooManyExports();
    }
    const exported = operation.handle(input, contextOfRead(parts, caller)) as Export;
    const body = new PacedStream({ ...streamReader(exchange, parts), minBytesPerMs });
    const begun = Promise.withResolvers<LogMark | undefined>();
    running.add(caller.family);
    const check = oneAtATime(() => endIfRefused(() => reauthenticate(parts, exchange), body));
    const checking = setInterval(check, recheckIntervalMs);
    exported
      .run({
        onBegin: begun.resolve,
        onPets: (pets) => body.send(encoder.encode(pets.map((pet) => `${toJson(pet)}\n`).join(""))),
      })
      .then(() => body.end())
      .catch((error) => {
        if (error instanceof Throttled) refusedAt = performance.now();
        begun.reject(error);
        body.fail();
      })
      .finally(() => {
        clearInterval(checking);
        running.delete(caller.family);
      });
    exchange.request.peer.onClose(() => body.abandon());
    const end = await begun.promise;
    const cursor = encodeEventCursor(end ? cursorAfter(end.position, end.id) : beforeFirst);
    const headers = {
      "Event-Cursor": cursor,
      Link: `<${addresses.of(listEvents, {})}?cursor=${cursor}>; rel="monitor"`,
    };
    return { status: 200, shared, headers, body: body.readable, bodyBytes: 0 };
  };
}

/** Whose key no longer works gets no more. A store that cannot be asked now is asked again soon. */
async function endIfRefused(check: () => Awaitable<unknown>, body: PacedStream): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof HttpError && error.code === "Unauthorized") body.fail();
  }
}

const encoder = new TextEncoder();
export const maxExports = 2;
/** Time for which a client waits after it was refused. `Retry-After` is shorter. */
const waitMs = 10_000;
