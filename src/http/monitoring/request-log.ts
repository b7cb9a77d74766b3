import { formatTime } from "../../base/format-time.ts";
import { describeCause, type ServiceError } from "../../domain/errors.ts";
import type { Log, LogEntry } from "../../log/log.ts";
import { type ErrorCode, isServiceFailure } from "../../operations/errors.ts";
import type { Exchange } from "../exchange.ts";
import { healthPaths } from "../public/service-endpoints.ts";
import { redactMethod, redactPath } from "./redact.ts";
import { listTimings, roundToMicroseconds } from "./timing.ts";

/** Logs a request in one line, without anything that may be confidential: no API key, query or body. */
export function logRequest(
  log: Log,
  exchange: Exchange,
  status: number,
  elapsedMs: number,
  slowMs: number | undefined,
  failure: ServiceError<ErrorCode> | undefined,
): void {
  const isSlow = slowMs !== undefined && elapsedMs > slowMs;
  const level = chooseLevel(exchange, status, isSlow);
  if (!log.isEnabled(level)) return;
  const { request, id, operation, caller, cachedClientAddress, span } = exchange;
  const path = redactPath(exchange.path, exchange.isKnownPath);
  const milliseconds = roundToMicroseconds(elapsedMs);
  if (!failure && !isSlow && !log.isForPeople && operation && caller && plainPathPattern.test(path)) {
    // A faster path for almost every request: no part needs JSON escaping, so the line is concatenated.
    const key = typeof caller.key === "number" ? caller.key : `"${caller.key}"`;
    const trace = span ? `"traceId":"${span.traceId}","spanId":"${span.spanId}",` : "";
    log.writeLine(
      `{"time":"${formatTime(Date.now())}","level":"${level}","message":"request","requestId":"${id}",${trace}"method":"${request.method}","path":"${path}","operation":"${operation.id}","key":${key},"status":${status},"milliseconds":${milliseconds}}`,
    );
    return;
  }
  log.write(level, "request", {
    requestId: id,
    traceId: span?.traceId,
    spanId: span?.spanId,
    method: redactMethod(request.method),
    path,
    operation: operation?.id,
    key: caller?.key,
    // The address matters only for requests without a valid key.
    client: caller ? undefined : cachedClientAddress,
    status,
    milliseconds,
    ...(isSlow && Object.fromEntries(listTimings(exchange).map(([name, time]) => [`${name}Milliseconds`, time]))),
    cause: failure?.cause === undefined ? undefined : describeCause(failure.cause),
  });
}

const healthPathPattern = new RegExp(`^(${healthPaths.join("|")})`);
const plainPathPattern = /^[\w/.-]*$/;

function chooseLevel({ path }: Exchange, status: number, isSlow: boolean): LogEntry["level"] {
  const isFailure = isServiceFailure(status);
  if (isSlow && !isFailure) return "warn";
  // Health checks are frequent, so only failed ones are logged.
  if (status < 400 && healthPathPattern.test(path)) return "debug";
  if (!isFailure) return "info";
  return status === 503 ? "warn" : "error";
}
