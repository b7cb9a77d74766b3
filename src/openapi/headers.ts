import type { ErrorCode } from "../domain/errors.ts";
import { hasContent, isRepeatable, type Operation } from "../operations/operation.ts";

/** Every header that a response can carry, apart from those that HTTP itself needs. */
export const headerComponents = {
  "X-Request-Id": header("Names the request in the service's log. One that the client sent is kept.", "string", {
    example: "4a1f7a0e-3c55-4a0a-9f0e-0f6f1b0c7a11",
  }),
  "X-Content-Type-Options": header("Always `nosniff`.", "string", { const: "nosniff" }),
  "Content-Security-Policy": header("Keeps a browser from treating an answer as a page.", "string", {
    const: "default-src 'none'; frame-ancestors 'none'",
  }),
  "Cache-Control": header(
    "`private, no-cache` for what can be asked for again with its `ETag`, else `no-store`.",
    "string",
    {
      enum: ["private, no-cache", "no-store"],
    },
  ),
  ETag: header("Names this representation, for `If-None-Match`. It does not depend on the caller's key.", "string", {
    pattern: '^"[0-9a-z]+"$',
    example: '"1x9q3v5t7b2kd"',
  }),
  Link: header("Addresses of related resources (RFC 8288), relative to the host.", "string", {
    example: '</v1/pets?limit=20&cursor=4aThOBS91wkn1k>; rel="next", </v1/pets?limit=20>; rel="first"',
  }),
  Location: header("The address of what was created, relative to the host.", "string", { example: "/v1/pets/1" }),
  "Idempotent-Replayed": header(
    "Present when the answer is that of an earlier request with the same `Idempotency-Key`.",
    "string",
    { const: "true" },
  ),
  "RateLimit-Policy": header("How many requests a key may make in how many seconds, if that is limited.", "string", {
    pattern: '^"default";q=[0-9]+;w=[0-9]+$',
    example: '"default";q=100;w=1',
  }),
  RateLimit: header(
    "How many requests are left to the key, and in how many seconds it has all of them again.",
    "string",
    {
      pattern: '^"default";r=[0-9]+;t=[0-9]+$',
      example: '"default";r=99;t=1',
    },
  ),
  Deprecation: header("Since when the operation is deprecated (RFC 9745).", "string", { example: "@1794614400" }),
  Sunset: header("When the operation will be removed (RFC 8594).", "string", {
    example: "Thu, 05 Dec 2030 23:59:59 GMT",
  }),
  "Preference-Applied": header("Present when `Prefer: handling=strict` was followed (RFC 7240).", "string", {
    const: "handling=strict",
  }),
  "WWW-Authenticate": header(
    "How to authenticate, and what was wrong with the key that was sent (RFC 6750).",
    "string",
    {
      example: 'Bearer realm="animal-store", error="invalid_token"',
    },
  ),
  "Retry-After": header("How many seconds to wait before trying again.", "integer", { minimum: 1 }),
  Accept: header("The media types that the body may have.", "string", { example: "application/json" }),
  "Accept-Patch": header("The media types that a patch may have (RFC 5789).", "string", {
    example: "application/merge-patch+json, application/json",
  }),
  "Accept-Encoding": header("Present when the body was sent with an encoding: it takes none.", "string", {
    const: "identity",
  }),
} as const;

export function successHeaders(operation: Operation) {
  const { success, paged } = operation;
  return refer(
    ...everywhere,
    ...(hasContent(operation) && !success.isSecret ? (["ETag"] as const) : []),
    ...(paged ? (["Link"] as const) : []),
    ...(success.location ? (["Location"] as const) : []),
    ...onTheWay(operation),
  );
}

/** Of an error that can befall any operation; which of the headers are there depends on the operation. */
export function errorHeaders(code: ErrorCode) {
  const early = code === "Unauthorized" || code === "TooManyRequests";
  return refer(
    ...everywhere,
    ...(ofError[code] ?? []),
    ...(code === "Unauthorized" ? [] : (["RateLimit-Policy", "RateLimit"] as const)),
    ...(early ? [] : (["Deprecation", "Sunset", "Link", "Preference-Applied"] as const)),
  );
}

/** The request headers that a client may set, beyond those that HTTP defines for every request. */
export const headerParameters = {
  IfNoneMatch: requestHeader(
    "If-None-Match",
    "The `ETag` of a representation that the client has: 304 if it is still current.",
  ),
  IfMatch: requestHeader("If-Match", "The `ETag` of what the client has seen: 412 if it is no longer current."),
  IfAbsent: requestHeader("If-None-Match", "`*`: 412 if it is there already."),
  IdempotencyKey: {
    ...requestHeader(
      "Idempotency-Key",
      "A name for what is to be done, chosen by the client and never used for anything else. A request that is sent again with it within 24 hours is not done again: it gets the first answer, byte for byte. With another body it is answered with 422, and with 409 while the first is under way.",
      { minLength: 1, maxLength: 257, pattern: '^("[!#-~]{1,255}"|[!#-~]{1,255})$' },
    ),
    "x-stability-level": "beta",
  },
  Prefer: requestHeader(
    "Prefer",
    "`handling=strict` (RFC 7240): unknown body fields and query parameters are refused with 400 and not ignored.",
  ),
  XRequestId: requestHeader(
    "X-Request-Id",
    "A name for the request: up to 128 letters, digits and `._:+/=-`. It is sent back.",
  ),
} as const;

export function requestHeaders(operation: Operation) {
  const names: (keyof typeof headerParameters)[] = [];
  if (operation.method === "GET") names.push("IfNoneMatch");
  if (operation.current) names.push("IfMatch");
  if (operation.success.created) names.push("IfAbsent");
  if (isRepeatable(operation)) names.push("IdempotencyKey");
  names.push("Prefer", "XRequestId");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

type HeaderName = keyof typeof headerComponents;

const everywhere = ["X-Request-Id", "X-Content-Type-Options", "Content-Security-Policy", "Cache-Control"] as const;

const ofError: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  Unauthorized: ["WWW-Authenticate"],
  Forbidden: ["WWW-Authenticate"],
  NotFound: ["Idempotent-Replayed"],
  Conflict: ["Idempotent-Replayed", "Retry-After"],
  UnprocessableContent: ["Idempotent-Replayed"],
  UnsupportedMediaType: ["Accept", "Accept-Encoding", "Accept-Patch"],
  TooManyRequests: ["Retry-After"],
  ServiceUnavailable: ["Retry-After"],
};

/** What a success carries for all that the request has passed on its way. */
function onTheWay(operation: Operation): HeaderName[] {
  return [
    "RateLimit-Policy",
    "RateLimit",
    ...(operation.deprecated ? (["Deprecation", "Sunset", "Link"] as const) : []),
    "Preference-Applied",
    ...(isRepeatable(operation) ? (["Idempotent-Replayed"] as const) : []),
  ];
}

function refer(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, type: string, rest: Readonly<Record<string, unknown>>) {
  return { description, schema: { type, ...rest } };
}

function requestHeader(name: string, description: string, rest: Readonly<Record<string, unknown>> = {}) {
  return { name, in: "header", required: false, description, schema: { type: "string", ...rest } };
}
