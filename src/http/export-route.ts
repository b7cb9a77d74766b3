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
import { applyStrictPreference } from "./request/preferences.ts";
import { matchesIfMatch } from "./response/conditional.ts";
import { createSharedHeaders } from "./response/http-response.ts";
import { createReadContext, type Route, type RouteParts, reauthenticate, toStreamReader } from "./route-parts.ts";

export function createExportRoute(operation: Operation, parts: RouteParts): Route {
  const { limits, urls } = parts;
  const reader = new InputReader(operation, limits.body);
  const shared = createSharedHeaders({
    "Cache-Control": "private, no-cache",
    "Content-Type": operation.success.mediaType ?? "",
  });
  const exportingFamilies = new Set<Caller["family"]>();
  let refusedAt = Number.NEGATIVE_INFINITY;
  const minBytesPerMs = () => (performance.now() - refusedAt < retryWindowMs ? limits.minExportBytesPerMs : 1);
  return async (exchange, caller) => {
    const { headers } = exchange.request;
    const input = reader.read(exchange, applyStrictPreference(exchange, headers.get("prefer")));
    // An export has no ETag, so only `If-Match: *` matches.
    if (!matchesIfMatch(headers.get("if-match"), "")) throw preconditionFailed();
    if (exportingFamilies.has(caller.family) || exportingFamilies.size >= maxExports) {
      refusedAt = performance.now();
      throw tooManyExports();
    }
    const exportRun = operation.handle(input, createReadContext(parts, caller)) as Export;
    const body = new PacedStream({ ...toStreamReader(exchange, parts), minBytesPerMs });
    const logEndResult = Promise.withResolvers<LogMark | undefined>();
    exportingFamilies.add(caller.family);
    // If the store does not respond, the export continues until the next check.
    const check = oneAtATime(async () => {
      await Promise.try(() => reauthenticate(parts, exchange)).catch((error) => {
        if (error instanceof HttpError && error.code === "Unauthorized") body.fail();
      });
    });
    const checkTimer = setInterval(check, recheckIntervalMs);
    exportRun
      .run({
        onBegin: logEndResult.resolve,
        onPets: (pets) => body.send(encoder.encode(pets.map((pet) => `${toJson(pet)}\n`).join(""))),
      })
      .then(() => body.end())
      .catch((error) => {
        if (error instanceof Throttled) refusedAt = performance.now();
        logEndResult.reject(error);
        body.fail();
      })
      .finally(() => {
        clearInterval(checkTimer);
        exportingFamilies.delete(caller.family);
      });
    const logEnd = await logEndResult.promise;
    const cursor = encodeEventCursor(logEnd ? cursorAfter(logEnd.position, logEnd.id) : beforeFirst);
    const link = `<${urls.of(listEvents, {})}?cursor=${cursor}>; rel="monitor"`;
    return { status: 200, shared, headers: { "Event-Cursor": cursor, Link: link }, body: body.readable, bodyBytes: 0 };
  };
}

const encoder = new TextEncoder();
export const maxExports = 2;
/** Time within which a refused client is expected to try again; longer than the `Retry-After` of the refusal. */
const retryWindowMs = 10_000;
