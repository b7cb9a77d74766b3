import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import type { Reply } from "../reply/reply.ts";

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

  /** Tells the browser, with whatever answer follows, whether the page may read it. */
  mark({ request, headers }: Exchange): void {
    if (!this.#allowsAll) headers["Vary"] = "Origin";
    const origin = this.#allowed(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = readable;
  }

  /** The answer to a browser that asks beforehand what a page may do; undefined if it is not asking, or the page may nothing. */
  preflight({ request }: Exchange): Reply | undefined {
    if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined;
    if (this.#allowed(request) === undefined) return undefined;
    return { status: 204, headers: preflightHeaders, body: null };
  }

  get #allowsAll(): boolean {
    return this.origins.includes("*");
  }

  #allowed({ headers }: WireRequest): string | undefined {
    const origin = headers.get("origin");
    if (origin === null) return undefined;
    if (this.#allowsAll) return "*";
    return this.origins.includes(origin) ? origin : undefined;
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
