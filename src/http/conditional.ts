import { changedMeanwhile, type Expectation } from "../domain/expectation.ts";
import { toJson } from "../domain/json.ts";
import { splitOutsideQuotes } from "./header-fields.ts";

/** A strong validator: the same for every caller, and another as soon as anything that is sent changes. */
export function etagOf(body: string | Uint8Array<ArrayBuffer>, rest = ""): string {
  const hash = Bun.hash.xxHash3(body);
  return `"${(rest === "" ? hash : Bun.hash.xxHash3(rest, hash)).toString(36)}"`;
}

/** Whether `If-None-Match` names the current representation (RFC 9110, 13.1.2). */
export function isUnchanged(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return tagsIn(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, "") === etag);
}

/** Whether a request says what must be there for it to be done. */
export function isConditional({ headers }: Request): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Holds what is there against `If-Match` and `If-None-Match` (RFC 9110, 13.1), and gives what the store is to hold it
 * against once more when it makes the change. Throws PreconditionFailed.
 */
export function expectationOf<Thing extends object>(
  { headers }: Request,
  current: Thing | undefined,
): Expectation<Thing> {
  const etag = current && etagOf(toJson(current));
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  if (ifMatch !== null && !(etag && (ifMatch.trim() === "*" || tagsIn(ifMatch).includes(etag)))) {
    throw changedMeanwhile();
  }
  if (etag && isUnchanged(ifNoneMatch, etag)) throw changedMeanwhile();
  return current ?? null;
}

function tagsIn(header: string): string[] {
  return splitOutsideQuotes(header, ",").map((tag) => tag.trim());
}
