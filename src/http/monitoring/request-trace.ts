import { basePath } from "../../operations/operation.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import type { Exchange } from "../exchange.ts";
import { pathToShow } from "./shown-path.ts";

/** Traces a request that was answered, if it is to be: a span of its own, and one beneath it for each part of its time. */
export function traceRequest(tracer: Tracer, exchange: Exchange, status: number, elapsedMs: number): void {
  const { request, operation, caller, start, id } = exchange;
  const span = tracer.spanOf(request.headers.get("traceparent"), caller !== undefined, start);
  if (!span) return;
  exchange.span = span;
  const end = start + elapsedMs;
  for (const [name, begunAt, endedAt] of partsOf(exchange, end)) {
    span.child(begunAt).end(name, "internal", {}, undefined, endedAt);
  }
  const route = operation && basePath + operation.path;
  const isOurFault = status >= firstOfServer;
  const attributes = {
    "http.request.method": request.method,
    "http.route": route,
    "http.response.status_code": status,
    "url.scheme": request.peer.isSecure ? "https" : "http",
    // The path may hold anything where nothing is known to be there.
    "url.path": operation && pathToShow(exchange.path),
    "user_agent.original": request.headers.get("user-agent")?.slice(0, longestUserAgent),
    "error.type": isOurFault ? String(status) : undefined,
    "animal_store.operation": operation?.id,
    "animal_store.request_id": id,
  };
  const name = route === undefined ? request.method : `${request.method} ${route}`;
  span.end(name, "server", attributes, isOurFault ? `it was answered with ${status}` : undefined, end);
}

type Part = readonly [name: string, begunAt: number, endedAt: number];

function partsOf({ operation, bodyAt, bodyMs, storeAt, storeMs, queueMs }: Exchange, end: number): Part[] {
  const parts: Part[] = [];
  if (bodyMs > 0) parts.push(["body", bodyAt, bodyAt + bodyMs]);
  if (storeMs > 0) {
    const storeEnd = storeAt + storeMs;
    // A write waits for its turn, and is then committed.
    if (queueMs > 0) parts.push(["queue", storeAt, storeAt + queueMs]);
    parts.push([operation?.method === "GET" ? "read" : "commit", storeAt + queueMs, storeEnd]);
    parts.push(["answer", storeEnd, end]);
  }
  return parts;
}

const longestUserAgent = 256;

/** From this status on, the fault is the service's. */
const firstOfServer = 500;
