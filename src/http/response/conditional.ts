import { toJson } from "../../base/json.ts";
import { type Expectation, neverMatching, volatileFields } from "../../domain/expectation.ts";
import type { WireRequest } from "../../wire/message.ts";
import { splitOutsideQuotes } from "../request/header-fields.ts";

/** A strong validator: the same for every caller, and another as soon as anything that is sent changes. */
export function etagOf(body: string | Uint8Array<ArrayBuffer>, rest = ""): string {
  const hash = Bun.hash.xxHash3(body);
  return `"${(rest === "" ? hash : Bun.hash.xxHash3(rest, hash)).toString(36)}"`;
}

/** The ETag of a resource, which stays the same when the service updates a volatile field. */
export function etagOfResource(resource: object): string {
  const lasting = Object.entries(resource).filter(([name]) => !volatileFields.has(name));
  return etagOf(toJson(Object.fromEntries(lasting)));
}

/** Whether `If-None-Match` names the current representation (RFC 9110, 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return tagsIn(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, "") === etag);
}

/** Whether `If-Match` names the current representation, or there is none that it could name (RFC 9110, 13.1.1). */
export function matchesIfMatch(ifMatch: string | null, etag: string | undefined): boolean {
  if (ifMatch === null) return true;
  return etag !== undefined && (ifMatch.trim() === "*" || tagsIn(ifMatch).includes(etag));
}

/** Whether a request says what must be there for it to be done. */
export function isConditional({ headers }: WireRequest): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Holds what is there, as reads show it, against `If-Match` and `If-None-Match` (RFC 9110, 13.1), and gives what the store is
 * to hold it against when it makes the change: only there is it known whether the change was made before.
 */
export function expectationOf<Thing extends object>(
  { headers }: WireRequest,
  current: Thing | undefined,
  show: (thing: Thing) => object,
): Expectation<Thing> {
  const etag = current && etagOfResource(show(current));
  const isMet =
    matchesIfMatch(headers.get("if-match"), etag) &&
    (etag === undefined || !matchesIfNoneMatch(headers.get("if-none-match"), etag));
  return isMet ? (current ?? null) : (neverMatching as Thing);
}

function tagsIn(header: string): string[] {
  return splitOutsideQuotes(header, ",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
