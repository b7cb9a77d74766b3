import { toJson } from "../../base/json.ts";
import { type Expectation, neverMatching, volatileFields } from "../../domain/expectation.ts";
import type { WireRequest } from "../../wire/message.ts";
import { splitOutsideQuotes } from "../request/header-fields.ts";

/** Returns a strong validator: the same for every caller, and different after any change to the response. */
export function computeEtag(body: string | Uint8Array<ArrayBuffer>, rest = ""): string {
  const hash = Bun.hash.xxHash3(body);
  return `"${(rest === "" ? hash : Bun.hash.xxHash3(rest, hash)).toString(36)}"`;
}

export function computeResourceEtag(resource: object): string {
  const fields = Object.entries(resource).filter(([name]) => !volatileFields.has(name));
  return computeEtag(toJson(Object.fromEntries(fields)));
}

/** True if `If-None-Match` names the current representation (RFC 9110, 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return parseTags(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === etag);
}

/** True if `If-Match` is absent or names the current representation (RFC 9110, 13.1.1). */
export function matchesIfMatch(ifMatch: string | null, etag: string | undefined): boolean {
  if (ifMatch === null) return true;
  return etag !== undefined && (ifMatch.trim() === "*" || parseTags(ifMatch).includes(etag));
}

export function isConditional({ headers }: WireRequest): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Returns the state that the store must find when it makes the change: if a precondition has failed, a state that never matches. Even then,
 * the request goes on to the store, because only the store knows whether an earlier attempt has already made the change.
 */
export function evaluatePreconditions<Resource extends object>(
  { headers }: WireRequest,
  current: Resource | undefined,
  show: (resource: Resource) => object,
): Expectation<Resource> {
  const etag = current && computeResourceEtag(show(current));
  const isMet =
    matchesIfMatch(headers.get("if-match"), etag) &&
    (etag === undefined || !matchesIfNoneMatch(headers.get("if-none-match"), etag));
  return isMet ? (current ?? null) : (neverMatching as Resource);
}

function parseTags(header: string): string[] {
  return splitOutsideQuotes(header, ",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
