import { isServiceFailure } from "../../operations/errors.ts";
import { basePath } from "../../operations/operation.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import { mayRevealKey } from "../request/revealed-key.ts";
import { redactPath } from "./redact.ts";

/** Traces a completed request if it is sampled: one span for the request, and a child span for each part of its time. */
export function traceRequest(tracer: Tracer, exchange: Exchange, status: number, elapsedMs: number): void {
  const { request, operation, caller, start, id } = exchange;
  const span = tracer.startSpan(request.headers.get("traceparent"), caller !== undefined, start);
  if (!span) return;
  exchange.span = span;
  const end = start + elapsedMs;
  for (const [name, startedAt, endedAt] of partsOf(exchange, end)) {
    span.startChild(startedAt).end(name, "internal", {}, undefined, endedAt);
  }
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
    "user_agent.original": userAgentOf(request),
    "error.type": isFailure ? String(status) : undefined,
    "animal_store.operation": operation?.id,
    "animal_store.request_id": id,
  };
  const name = route === undefined ? method : `${method} ${route}`;
  span.end(name, "server", attributes, isFailure ? `it was answered with ${status}` : undefined, end);
}

type Part = readonly [name: string, startedAt: number, endedAt: number];

function partsOf({ operation, bodyAt, bodyMs, storeAt, storeMs, queueMs }: Exchange, end: number): Part[] {
  const parts: Part[] = [];
  if (bodyMs > 0) parts.push(["body", bodyAt, bodyAt + bodyMs]);
  if (storeMs > 0) {
    const storeEnd = storeAt + storeMs;
    // A write is queued before it is committed.
    if (queueMs > 0) parts.push(["queue", storeAt, storeAt + queueMs]);
    parts.push([operation?.method === "GET" ? "read" : "commit", storeAt + queueMs, storeEnd]);
    parts.push(["answer", storeEnd, end]);
  }
  return parts;
}

/** Returns undefined if the header may reveal a key. */
function userAgentOf({ headers }: WireRequest): string | undefined {
  const userAgent = headers.get("user-agent");
  if (userAgent === null || mayRevealKey(userAgent, headers)) return undefined;
  return userAgent.slice(0, maxUserAgentLength);
}

const maxUserAgentLength = 256;

/** The methods of the semantic conventions, which replace all others with `_OTHER`. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
