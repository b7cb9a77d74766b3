/** Whether a client asked, by `Prefer: handling=strict` (RFC 7240), that what is unknown be refused and not ignored. */
export function prefersStrict(header: string | null): boolean {
  if (!header) return false;
  const [first] = header
    .split(",")
    .map((preference) => /^\s*handling\s*=\s*"?([a-z]+)"?\s*(;|$)/i.exec(preference)?.[1])
    .filter((value) => value !== undefined);
  return first?.toLowerCase() === "strict";
}

export const strictApplied = { "Preference-Applied": "handling=strict" };
