import { ServiceError } from "../domain/errors.ts";
import type { Exchange } from "./exchange.ts";
import type { Log, LogEntry } from "./log.ts";

/** One line per request, without anything that a client might want to keep to itself: no key, query or body. */
export function logRequest(
  log: Log,
  { request, id, path, operation, caller, client }: Exchange,
  status: number,
  milliseconds: number,
  failure: ServiceError | undefined,
): void {
  log.write(levelOf(status), "request", {
    requestId: id,
    method: request.method,
    path: withoutSecrets(path),
    operation: operation?.id,
    key: caller?.key,
    // Nobody but those who guess keys is worth noting.
    client: caller ? undefined : client,
    status,
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    cause: failure?.cause === undefined ? undefined : describeCause(failure.cause),
  });
}

function levelOf(status: number): LogEntry["level"] {
  if (status < 500) return "info";
  return status === 503 ? "warn" : "error";
}

/** A key belongs into a header, but somebody will put one into a path: what is as long as a key is not repeated. */
function withoutSecrets(path: string): string {
  return path
    .split("/", 8)
    .map((segment) => (segment.length < shortestKey ? segment : "..."))
    .join("/");
}

const shortestKey = 16;

function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError && cause.cause !== undefined) return describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
