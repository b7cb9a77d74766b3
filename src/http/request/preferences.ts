import { elementsOf } from "./header-fields.ts";

/** Whether a client asked, by `Prefer: handling=strict` (RFC 7240), that what is unknown be refused and not ignored. */
export function prefersStrict(header: string | null): boolean {
  if (!header) return false;
  const first = elementsOf(header).find(([preference]) => preference?.name === "handling");
  return first?.[0]?.value?.toLowerCase() === "strict";
}

export const strictApplied = { "Preference-Applied": "handling=strict" };
