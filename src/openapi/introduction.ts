import { deepest } from "../base/json.ts";
import { petTransitions } from "../domain/pet.ts";
import { bodyLimits } from "../operations/fields.ts";

const transitions = Object.entries(petTransitions)
  .map(([from, to]) => `\`${from}\` to \`${to.join("` or `")}\``)
  .join(", ");

/** What holds for every operation, in the words of the document. */
export const introduction = `
A store keeps its catalogue of animals here. Each animal has a name, belongs to a category and has a status. Animals are
ordered, and orders are completed or cancelled; categories can be given names.

**Authentication.** Every operation needs an API key as a bearer token. A missing or invalid key is answered with 401
before anything else is looked at; a key that lacks the operation's scope with 403.

**Identifiers.** \`id\` is assigned by the service, ascends from 1, is never used again and never goes beyond
2^53 - 1. \`categoryId\` is any 64-bit integer and comes back digit for digit: a client whose language reads JSON
numbers as doubles must take care to read it exactly. \`1.0\` and \`1e2\` are integers.

**Status.** An animal that is added without a status is \`available\`. Its status can change from ${transitions}; anything
else is answered with 409. While an animal has an open order, only the order can change its status.

**Names** have 1 to 255 characters, at least one of which can be seen, and no control characters: white space, zero-width
and other invisible characters alone are no name. Names are kept as they were sent.

**Paging.** Lists ascend by \`id\`. The body is a bare array. \`Link\` (RFC 8288) holds the address of the \`next\` page,
absent on the last one, and of the \`first\`; both keep the limit and the filters. Cursors are opaque; one stays good when
the animal it points at is changed or deleted. A cursor that was changed, or is used with other filters, is answered
with 400.

**Parameters** that are out of range, repeated, empty or malformed are answered with 400, never adjusted. Unknown body
fields and query parameters are ignored; with \`Prefer: handling=strict\` they are answered with 400, and always by the
operations on keys, where a mistyped \`expiresAt\` would make a key that never expires.

**Errors** carry \`code\`, \`message\` and \`status\`. The message names everything that is wrong at once. A client that
sends \`Accept: application/problem+json\` gets RFC 9457 instead, with a list of the wrong parts.
[Every code is explained](/docs/errors), with what to do about it. An unknown address is answered with 404. An address
takes the methods that are listed for it and, where it takes \`GET\`, also \`HEAD\`; any other is answered with 405, the
code \`MethodNotAllowed\`, and \`Allow\`, which names those that it takes.

**Headers** of responses that are marked as required are on every such response; the others are there when their
description says so.

**Pages of other origins** may call the service where the operator lets them (CORS). Their preflights, \`OPTIONS\` at any
address, are then answered with 204 without a key; every answer carries \`Access-Control-Allow-Origin\` and
\`Access-Control-Expose-Headers\`, and \`Vary: Origin\` unless all origins may. To others, \`OPTIONS\` is a method like any
that an address does not take.

**Conditional requests.** Every \`GET\` can be made as \`HEAD\`, carries a strong \`ETag\`, and answers 304 to an
\`If-None-Match\` that names it. \`If-Match\` is honoured by every operation: if what it names is not, or no longer, there, the
answer is 412 and nothing is done.

**Repeated requests.** Every \`POST\` takes an \`Idempotency-Key\`. Sent again with it within 24 hours, by the same API key or
one that has replaced it, it is not done again: the answer is the first one, byte for byte, with \`Idempotent-Replayed: true\`. How many are kept for
a key is limited: beyond that, new ones are answered with 429.

**Limits.** A body has at most ${bodyLimits.kibibytes} KiB and is nested at most ${deepest} deep. It must arrive within ${bodyLimits.seconds} seconds.
Where the operator limits how many requests a key may make, \`RateLimit-Policy\` and \`RateLimit\` tell of it, and what is too
much is answered with 429. So is an address that has sent many wrong keys.

**Stability.** \`x-stability-level\` marks operations and parameters: what is \`stable\` does not break within version 1,
\`beta\` may change after 90 days' notice, \`experimental\` at any time. New fields, parameters, headers and error codes may
come at any time: ignore what you do not know. A deprecated operation carries \`x-sunset\`, the last day on which it works; its responses carry \`Deprecation\`,
\`Sunset\` and a \`Link\` to its successor. After that day it answers 410 and is gone from this document.
`.trim();
