import { maxJsonDepth, maxJsonValues } from "../base/json.ts";
import { bodyLimits } from "../operations/fields.ts";

/** Formats a number by hand, because loading the runtime's formatter would delay the start of the service. */
const formatNumber = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

export const introduction = `
A store keeps its catalogue of animals here. Each animal has a name, belongs to a category and has a status. Animals are
ordered, and orders are completed or cancelled; categories can have names.

**Authentication.** Every operation needs an API key as a bearer token. A missing or invalid key gets 401
before anything else is checked; a key that lacks the operation's scope gets 403.

**Identifiers.** The \`id\` of an animal, an order, a key or a webhook is assigned by the service, ascends from 1, is never
reused and never exceeds 2^53 - 1. \`categoryId\`, which is also the \`id\` of a category, is any 64-bit integer that you
choose, and is returned digit for digit: a client whose language reads JSON numbers as doubles must parse it exactly. \`1.0\`
and \`1e2\` are integers.

**Names.** A name has 1 to 255 characters, at least one of them visible, and no control characters: whitespace, zero-width
and other invisible characters alone are not a name. Names are stored exactly as sent.

**Paging.** Paginated lists ascend by \`id\`, unless you request another order. The body is a bare array. \`Link\` (RFC 8288)
contains the URLs of the \`next\` page, absent on the last one, and of the \`first\`; both keep the limit and the filters.
Cursors are opaque; they stay valid when the animal they point at is changed or deleted. A cursor that was modified, or is
used with other filters, gets 400. Only the cursors of events can be used with any filter.

**Parameters.** Values that are out of range, repeated, empty or malformed get 400; they are never adjusted. Unknown body
fields and query parameters are ignored; with \`Prefer: handling=strict\`, and always in the operations on keys and
webhooks, they get 400, because an unnoticed typo would do harm: \`expiresat\` would create a key without an expiry.

**Errors.** An error carries \`code\`, \`message\` and \`status\`. The message lists everything that is wrong. A client that
sends \`Accept: application/problem+json\` gets a body as in RFC 9457 instead, with a list of the invalid parts.
[A page explains every code](/docs/errors), and what to do about it. An unknown path gets 404, and a method that the path does
not allow 405. A malformed request gets 400, or 431 if its headers exceed 16 KiB, 501 for an unknown transfer coding, and 505
for a version of HTTP other than 1; the connection is closed.

**Headers.** Response headers that are marked as required are always present; the others say when they are present.

**CORS.** Pages of other origins may call the service where the operator allows it. Their preflight requests, \`OPTIONS\`
on any path, then get 204 without a key. Otherwise, \`OPTIONS\` is a method that no path allows.

**Conditional requests.** Every \`GET\` also works as \`HEAD\`. A successful response carries a strong \`ETag\`, unless it is
an export or a stream of events; an \`If-None-Match\` that matches it gets 304. Every operation honours \`If-Match\`: if it
does not match the current version, the response is 412 and nothing is changed.

**Idempotency.** Every \`POST\` accepts an \`Idempotency-Key\`. If the same API key or its successor sends the request again
within 24 hours, it is not executed again, and gets the first response, byte for byte, with \`Idempotent-Replayed: true\`.

**Limits.** A body has at most ${bodyLimits.kibibytes} KiB, unless its operation says otherwise, is nested at most ${maxJsonDepth} levels deep, has at most ${formatNumber(maxJsonValues)} fields and items, and comes in at most ${formatNumber(bodyLimits.chunks)} chunks. It must arrive within ${bodyLimits.seconds} seconds.
Where the operator has set a rate limit for each key, requests beyond it get 429. So do further keys from an IP address that
has sent many different wrong ones.

**Stability.** \`x-stability-level\` marks operations, parameters and request headers: \`stable\` ones do not break within version 1,
\`beta\` ones may change after 90 days' notice, \`experimental\` ones at any time. New fields, parameters, headers and error codes may
be added at any time: ignore those that you do not know. A deprecated operation carries \`x-sunset\`, the last day on which it works; its responses carry \`Deprecation\`,
\`Sunset\` and a \`Link\` to its successor. After that day it returns 410 and is no longer in this document.
`.trim();
