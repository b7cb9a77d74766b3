import type { ErrorCode } from "../domain/errors.ts";
import type { Operation } from "../operations/operation.ts";

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
    example: '</v1/pets?limit=20&cursor=AQAAAAAAAAAUq83vASNFZ4mr>; rel="next", </v1/pets?limit=20>; rel="first"',
  }),
  Location: header("The address of the new animal, relative to the host.", "string", { example: "/v1/pets/1" }),
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
  Accept: header("The media type that the body must have.", "string", { const: "application/json" }),
  "Accept-Encoding": header("Present when the body was sent with an encoding: it takes none.", "string", {
    const: "identity",
  }),
} as const;

export function successHeaders(operation: Operation) {
  return refer(
    ...everywhere,
    "ETag",
    ...(operation.paged ? (["Link"] as const) : []),
    ...(operation.success.location ? (["Location"] as const) : []),
    ...afterRouting(operation),
  );
}

export function errorHeaders(code: ErrorCode, operation: Operation) {
  return refer(...everywhere, ...(ofError[code] ?? []), ...afterRouting(operation, code));
}

/** The request headers that a client may set, beyond those that HTTP defines for every request. */
export function requestHeaders({ method }: Operation) {
  return [
    ...(method === "GET"
      ? [
          requestHeader(
            "If-None-Match",
            "The `ETag` of a representation that the client has: 304 if it is still current.",
          ),
        ]
      : []),
    requestHeader(
      "Prefer",
      "`handling=strict` (RFC 7240): unknown body fields and query parameters are refused with 400 and not ignored.",
    ),
    requestHeader("X-Request-Id", "A name for the request: up to 128 letters, digits and `._:+/=-`. It is sent back."),
  ];
}

type HeaderName = keyof typeof headerComponents;

const everywhere = ["X-Request-Id", "X-Content-Type-Options", "Content-Security-Policy", "Cache-Control"] as const;

const ofError: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  Unauthorized: ["WWW-Authenticate"],
  Forbidden: ["WWW-Authenticate"],
  UnsupportedMediaType: ["Accept", "Accept-Encoding"],
  ServiceUnavailable: ["Retry-After"],
};

/** What a response carries once the operation is known and, later, once the client's preference is. */
function afterRouting({ deprecated }: Operation, code?: ErrorCode): HeaderName[] {
  if (code === "Unauthorized") return [];
  const early = code === "Gone" || code === "Forbidden";
  return [
    ...(early ? [] : (["Preference-Applied"] as const)),
    ...(deprecated ? (["Deprecation", "Sunset", "Link"] as const) : []),
  ];
}

function refer(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, type: string, rest: Readonly<Record<string, unknown>>) {
  return { description, schema: { type, ...rest } };
}

function requestHeader(name: string, description: string) {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
