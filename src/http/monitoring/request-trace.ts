import { isServiceFailure } from "../../operations/errors.ts";
import { basePath } from "../../operations/operation.ts";
import type { Span, Tracer } from "../../tracing/tracer.ts";
import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import { mayRevealKey } from "../request/revealed-key.ts";
import { redactPath } from "./redact.ts";

/** Traces a completed request if it is sampled: one span for the request, and a child span for each part of its time. */
export function traceRequest(tracer: Tracer, exchange: Exchange, status: number, elapsedMs: number): void {
  const { request, operation, caller, startedAt, id } = exchange;
  const span = tracer.startSpan(request.headers.get("traceparent"), caller !== undefined);
  if (!span) return;
  exchange.span = span;
  const end = startedAt + elapsedMs;
  addChildren(span, exchange, end);
  const route = operation && basePath + operation.path;
  const method = knownMethods.has(request.method) ? request.method : "_OTHER";
  const isFailure = isServiceFailure(status);
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": status,
    "url.scheme": request.peer.isSecure ? "https" : "http",
    // An unknown path may contain confidential text.
    "url.path": operation && redactPath(exchange.path, true),
    "user_agent.original": readLoggableUserAgent(request),
    "error.type": isFailure ? String(status) : undefined,
    "animal_store.operation": operation?.id,
    "animal_store.request_id": id,
  };
  const name = route === undefined ? method : `${method} ${route}`;
  span.end(name, startedAt, end, attributes, isFailure ? `it was answered with ${status}` : undefined);
}

function addChildren(span: Span, exchange: Exchange, end: number): void {
  const { operation, bodyStartedAt, bodyMs, storeStartedAt, storeMs, queueMs } = exchange;
  if (bodyMs > 0) span.addChild("body", bodyStartedAt, bodyStartedAt + bodyMs);
  if (storeMs === 0) return;
  const storeEnd = storeStartedAt + storeMs;
  if (queueMs > 0) span.addChild("queue", storeStartedAt, storeStartedAt + queueMs);
  span.addChild(operation?.method === "GET" ? "read" : "commit", storeStartedAt + queueMs, storeEnd);
  span.addChild("answer", storeEnd, end);
}

function readLoggableUserAgent({ headers }: WireRequest): string | undefined {
  const userAgent = headers.get("user-agent");
  if (userAgent === null || mayRevealKey(userAgent, headers)) return undefined;
  return userAgent.slice(0, maxUserAgentLength);
}

const maxUserAgentLength = 256;

/** The HTTP methods that OpenTelemetry's semantic conventions list; any other is reported as `_OTHER`. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
