import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpResponse } from "../response/http-response.ts";

/**
 * Lets pages of configured origins call the interface from a browser. A key is sent in a header that the page sets
 * itself, so that nothing here depends on cookies.
 */
export class Cors {
  /** `*` stands for all origins. */
  constructor(readonly origins: readonly string[]) {}

  get isOn(): boolean {
    return this.origins.length > 0;
  }

  /** Tells browsers whether the page may read the response, and caches that this depends on the page's origin. */
  mark({ request, headers }: Exchange): void {
    if (!this.#allowsAll) headers["Vary"] = "Origin";
    const origin = this.#allowed(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = readable;
  }

  /** The response to a preflight request; undefined for any other, and if the origin is not allowed. */
  preflight({ request }: Exchange): HttpResponse | undefined {
    const isPreflight = ["origin", "access-control-request-method"].every((name) => request.headers.has(name));
    if (request.method !== "OPTIONS" || !isPreflight || this.#allowed(request) === undefined) return undefined;
    return { status: 204, headers: preflightHeaders, body: null };
  }

  get #allowsAll(): boolean {
    return this.origins.includes("*");
  }

  #allowed({ headers }: WireRequest): string | undefined {
    if (this.#allowsAll) return "*";
    const origin = headers.get("origin");
    return origin !== null && this.origins.includes(origin) ? origin : undefined;
  }
}

const readable = [
  "Accept",
  "Accept-Encoding",
  "Accept-Patch",
  "Allow",
  "Deprecation",
  "ETag",
  "Event-Cursor",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, traceparent",
  "Access-Control-Max-Age": "7200",
  "Cache-Control": "no-store",
};
