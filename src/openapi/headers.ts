import type { ErrorCode } from "../operations/errors.ts";
import {
  canBeRevalidated,
  hasContent,
  type Operation,
  type Stability,
  takesIdempotencyKey,
} from "../operations/operation.ts";

/** A header without an entry is absent from the response. */
export type SentHeaders = Readonly<Partial<Record<HeaderName, "always" | "sometimes" | undefined>>>;

export function successHeaders(operation: Operation): SentHeaders {
  const { method, success, isPaged, isFeed, isExport, deprecated } = operation;
  return {
    ...commonHeaders,
    [method === "GET" ? "Cache-Control.read" : "Cache-Control"]: "always",
    ...(isExport && { "Event-Cursor": "always", "Link.monitor": "always" }),
    ...(hasContent(operation) &&
      !success.isSecret &&
      !success.isReport &&
      !isExport && { ETag: isFeed ? "sometimes" : "always" }),
    ...(isPaged && { Link: "always" }),
    ...(isFeed && { "Link.feed": "sometimes", "X-Accel-Buffering": "sometimes" }),
    ...(success.location && { Location: "always" }),
    ...quotaHeaders,
    ...(deprecated && deprecationHeaders("always")),
    "Preference-Applied": "sometimes",
    ...(takesIdempotencyKey(operation) && { "Idempotent-Replayed": "sometimes" }),
    ...corsHeaders,
    ...(isFeed && { Vary: undefined, "Vary.feed": "always" }),
  };
}

export function errorHeaders(operation: Operation, code: ErrorCode): SentHeaders {
  return {
    ...commonHeaders,
    "Cache-Control": "always",
    ...additionalHeaders[code]?.(operation),
    ...(code !== "Unauthorized" && quotaHeaders),
    ...(operation.deprecated &&
      !earlyErrors.has(code) &&
      deprecationHeaders(earlyOrLateErrors.has(code) ? "sometimes" : "always")),
    // `Link` is absent if the id in the path is not an integer.
    ...(operation.deprecated && ["NotFound", "Gone"].includes(code) && { "Link.successor": "sometimes" }),
    ...(canOccurAfterPrefer(operation, code) && { "Preference-Applied": "sometimes" }),
    ...(canBeReplayed(operation, code) && { "Idempotent-Replayed": "sometimes" }),
    ...corsHeaders,
  };
}

export class HeaderComponents {
  readonly #used = new Map<string, object>();

  refer(sent: SentHeaders): Record<string, { readonly $ref: string }> {
    const entries = Object.entries(sent) as [HeaderName, "always" | "sometimes" | undefined][];
    return Object.fromEntries(
      entries
        .filter(([, presence]) => presence)
        .map(([key, presence]) => {
          const component = presence === "always" ? key : `${key}.optional`;
          this.#used.set(component, { ...headers[key], ...(presence === "always" && { required: true }) });
          return [key.replace(/\..*/, ""), { $ref: `#/components/headers/${component}` }];
        }),
    );
  }

  get definitions(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#used].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

export const headerParameters = {
  IfNoneMatch: requestHeader(
    "If-None-Match",
    '"1x9q3v5t7b2kd"',
    "The `ETag` of a representation that you have. The response is 304 if it is still current.",
  ),
  IfMatch: requestHeader(
    "If-Match",
    "*",
    "The `ETag` of the version that you have read. The response is 412 if it is no longer current.",
  ),
  IfAbsent: requestHeader("If-None-Match", "*", "`*`: the response is 412 if the resource already exists."),
  IdempotencyKey: requestHeader(
    "Idempotency-Key",
    "8e03978e-40d5-43e8-bc93-6894a57f9324",
    "A unique value that you choose for this request. If you send the request again with the same value within 24 hours, it is not executed again, and gets the first response, byte for byte. With another body it gets 422, and while the first request is in progress 409. The number of values kept for each API key is limited; beyond the limit, new ones get 429.",
    "beta",
    { minLength: 1, maxLength: 257, pattern: '^("[!#-~]{1,255}"|[!#-~]{1,255})$' },
  ),
  PreferOfFeed: requestHeader(
    "Prefer",
    "handling=strict",
    "`wait=20` (RFC 7240): if there is no event yet, wait for one for that many seconds, at most 30. `handling=strict`: unknown query parameters get 400 instead of being ignored.",
  ),
  LastEventId: requestHeader(
    "Last-Event-ID",
    "latest",
    "The `id` of the last message that you received: the stream continues after that message. Clients for server-sent events send this header automatically.",
    "beta",
  ),
  Prefer: requestHeader(
    "Prefer",
    "handling=strict",
    "`handling=strict` (RFC 7240): unknown body fields and query parameters get 400 instead of being ignored.",
  ),
  XRequestId: requestHeader(
    "X-Request-Id",
    "order-4711",
    "An id for the request: up to 128 letters, digits and `._:+/=-`. The response has the same id.",
  ),
} as const;

export function requestHeaders(operation: Operation) {
  const names: (keyof typeof headerParameters)[] = [];
  if (canBeRevalidated(operation)) names.push("IfNoneMatch");
  if (canBeRevalidated(operation) || operation.current) names.push("IfMatch");
  if (operation.success.created) names.push("IfAbsent");
  if (takesIdempotencyKey(operation)) names.push("IdempotencyKey");
  if (operation.isFeed) names.push("PreferOfFeed", "LastEventId");
  else names.push("Prefer");
  names.push("XRequestId");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

type HeaderName = keyof typeof headers;

/** A header whose values depend on the operation has several entries, with a suffix after a dot. */
const headers = {
  "X-Request-Id": header("Identifies the request in the service's log. If you send an id, the service uses your id.", {
    example: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
  }),
  "X-Content-Type-Options": header("Keeps a browser from guessing another media type.", { const: "nosniff" }),
  "Content-Security-Policy": header("Keeps a browser from treating a response as a page.", {
    const: "default-src 'none'; frame-ancestors 'none'",
  }),
  "Cache-Control": header("The response must not be cached.", { const: "no-store" }),
  "Cache-Control.read": header("You may cache the response, but must revalidate it before you use it again.", {
    const: "private, no-cache",
  }),
  ETag: header("Identifies this representation, for `If-None-Match`. It does not depend on the caller's key.", {
    pattern: '^"[0-9a-z]+"$',
    example: '"1x9q3v5t7b2kd"',
  }),
  Link: header("URLs of the `next` page, if there is one, and of the `first` (RFC 8288), relative to the host.", {
    example: '</v1/pets?limit=20&cursor=4aThOBS91wkn1k>; rel="next", </v1/pets?limit=20>; rel="first"',
  }),
  "Link.successor": header("The URL that replaces this one (RFC 5829), relative to the host.", {
    example: '</v1/pets?id=1>; rel="successor-version"',
  }),
  "Link.feed": header(
    "The URL of the `next` events, which may not exist yet (RFC 8288), relative to the host. Absent from streams, and from the page with the oldest event if the newest come first.",
    { example: '</v1/events?cursor=1c.4aThOBS91wkn1k>; rel="next"' },
  ),
  "Link.monitor": header("The URL of the events after the export (RFC 5989), relative to the host.", {
    example: '</v1/events?cursor=1c.4aThOBS91wkn1k>; rel="monitor"',
  }),
  "Event-Cursor": header("The `cursor` of the events after the export.", { example: "1c.4aThOBS91wkn1k" }),
  "X-Accel-Buffering": header("Keeps a proxy from holding back a stream.", { const: "no" }),
  Location: header("The URL of the new resource, relative to the host.", { example: "/v1/pets/1" }),
  "Idempotent-Replayed": header("Present if this is the response to an earlier request.", { const: "true" }),
  "RateLimit-Policy": header(
    "The number of requests that a key may make (`q`) in a number of seconds (`w`), if there is a rate limit.",
    { pattern: '^"default";q=[0-9]+;w=[0-9]+$', example: '"default";q=100;w=1' },
  ),
  RateLimit: header(
    "The number of requests that the key has left (`r`), and the seconds until its quota is full again (`t`), if there is a rate limit.",
    { pattern: '^"default";r=[0-9]+;t=[0-9]+$', example: '"default";r=99;t=1' },
  ),
  Deprecation: header("The time of the deprecation (RFC 9745).", { pattern: "^@[0-9]+$", example: "@1794614400" }),
  Sunset: header("The time of the removal (RFC 8594).", { example: "Thu, 05 Dec 2030 23:59:59 GMT" }),
  "Vary.feed": header("The request headers on which the response depends.", { enum: ["Accept", "Accept, Origin"] }),
  "Preference-Applied": header("The preferences in `Prefer` that were applied (RFC 7240), if any.", {
    pattern: "^(handling=strict|(handling=strict, )?wait=[0-9]+)$",
    example: "handling=strict",
  }),
  "WWW-Authenticate": header("The authentication scheme, and the error if the key was wrong (RFC 6750).", {
    example: 'Bearer realm="animal-store", error="invalid_token"',
  }),
  "Retry-After": header("The number of seconds to wait before the next attempt.", { type: "integer", minimum: 1 }),
  Accept: header("The media types that the body may have.", { example: "application/json" }),
  "Accept-Patch": header("The media types of patches (RFC 5789).", {
    example: "application/merge-patch+json, application/json",
  }),
  "Accept-Encoding": header("Present if the body had a content encoding: none is supported.", { const: "identity" }),
  Vary: header("Present if the operator allows pages of some origins to call the service.", { const: "Origin" }),
  "Access-Control-Allow-Origin": header("The page's origin, or `*` for all, if the operator allows the origin.", {
    example: "https://shop.example",
  }),
  "Access-Control-Expose-Headers": header("With `Access-Control-Allow-Origin`: the headers that the page may read.", {
    example: "ETag, Link, Location, X-Request-Id",
  }),
} as const;

const commonHeaders: SentHeaders = {
  "X-Request-Id": "always",
  "X-Content-Type-Options": "always",
  "Content-Security-Policy": "always",
};

const quotaHeaders: SentHeaders = { "RateLimit-Policy": "sometimes", RateLimit: "sometimes" };

const corsHeaders: SentHeaders = {
  Vary: "sometimes",
  "Access-Control-Allow-Origin": "sometimes",
  "Access-Control-Expose-Headers": "sometimes",
};

function deprecationHeaders(presence: "always" | "sometimes"): SentHeaders {
  return { Deprecation: presence, Sunset: presence, "Link.successor": presence };
}

/** The headers of an error in addition to the headers that all errors have. */
const additionalHeaders: Readonly<Partial<Record<ErrorCode, (operation: Operation) => SentHeaders>>> = {
  Unauthorized: () => ({ "WWW-Authenticate": "always" }),
  // The header names a missing scope. It is absent if the operation itself refuses a request whose key has the required scope.
  Forbidden: ({ errors }) => ({ "WWW-Authenticate": errors.includes("Forbidden") ? "sometimes" : "always" }),
  // Only a conflict with a request in progress is temporary, and only requests with an `Idempotency-Key` can cause this conflict.
  Conflict: ({ method, errors }) =>
    method === "POST" ? { "Retry-After": errors.includes("Conflict") ? "sometimes" : "always" } : {},
  UnsupportedMediaType: ({ method }) => ({
    Accept: "always",
    ...(method === "PATCH" && { "Accept-Patch": "always" }),
    "Accept-Encoding": "sometimes",
  }),
  TooManyRequests: () => ({ "Retry-After": "always" }),
  ServiceUnavailable: () => ({ "Retry-After": "always" }),
};

/** Errors that occur before the operation is determined. */
const earlyErrors: ReadonlySet<ErrorCode> = new Set(["Unauthorized", "TooManyRequests"]);

/** Errors that occur before or after the operation is determined. */
const earlyOrLateErrors: ReadonlySet<ErrorCode> = new Set(["BadRequest", "InternalServerError", "ServiceUnavailable"]);

/** True if the error can occur after `Prefer` was applied. */
function canOccurAfterPrefer(operation: Operation, code: ErrorCode): boolean {
  if (code === "Forbidden" || code === "Gone") return operation.errors.includes(code);
  if (code !== "TooManyRequests") return code !== "Unauthorized";
  // The limits on idempotency records, exports and event readers apply after `Prefer`; the other limits apply before it.
  return takesIdempotencyKey(operation) || operation.isExport === true || operation.isFeed === true;
}

/** True if the error can be a stored outcome that a repeated request gets again. */
function canBeReplayed(operation: Operation, code: ErrorCode): boolean {
  if (!takesIdempotencyKey(operation)) return false;
  // A repeated request from another API key gets this error instead of the secret.
  if (code === "UnprocessableContent") return operation.success.isSecret === true;
  if (code === "PreconditionFailed") return operation.current !== undefined;
  return code === "NotFound" || ((code === "Conflict" || code === "Gone") && operation.errors.includes(code));
}

function header(description: string, schema: Readonly<Record<string, unknown>>) {
  return { description, schema: { type: "string", ...schema } };
}

function requestHeader(name: string, example: string, description: string, level: Stability = "stable", rest = {}) {
  const schema = { type: "string", ...rest };
  return { name, in: "header", required: false, description, schema, example, "x-stability-level": level };
}
