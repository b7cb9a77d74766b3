/** A strong validator: the same for every caller, and another as soon as anything that is sent changes. */
export function etagOf(...parts: string[]): string {
  return `"${Bun.hash.xxHash3(parts.join("\n")).toString(36)}"`;
}

/** Whether `If-None-Match` names the current representation (RFC 9110, 13.1.2). */
export function isUnchanged(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag);
}
