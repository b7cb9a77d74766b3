import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpResponse } from "../response/http-response.ts";

/** Allows web pages of configured origins to call the API. API keys are sent in a header, so pages need no permission to send cookies. */
export class Cors {
  constructor(readonly origins: readonly string[]) {}

  setHeaders({ request, headers }: Exchange): void {
    if (!this.#allowsAll) headers["Vary"] = "Origin";
    const origin = this.#allowedOrigin(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = readableHeaders;
  }

  respondToPreflight({ request }: Exchange): HttpResponse | undefined {
    const { method, headers } = request;
    const isPreflight = method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
    if (!isPreflight || this.#allowedOrigin(request) === undefined) return undefined;
    return { status: 204, headers: preflightHeaders, body: null };
  }

  get #allowsAll(): boolean {
    return this.origins.includes("*");
  }

  #allowedOrigin({ headers }: WireRequest): string | undefined {
    if (this.#allowsAll) return "*";
    const origin = headers.get("origin");
    return origin !== null && this.origins.includes(origin) ? origin : undefined;
  }
}

const readableHeaders =
  "Accept, Accept-Encoding, Accept-Patch, Allow, Deprecation, ETag, Event-Cursor, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id";

const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, traceparent",
  "Access-Control-Max-Age": "7200",
  "Cache-Control": "no-store",
};
