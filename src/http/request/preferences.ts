import type { Exchange } from "../exchange.ts";
import { elementsOf } from "./header-fields.ts";

/** Whether a client asked, by `Prefer: handling=strict` (RFC 7240), that what is unknown be refused and not ignored. */
export function prefersStrict(header: string | null): boolean {
  if (!header) return false;
  const first = elementsOf(header).find(([preference]) => preference?.name === "handling");
  return first?.[0]?.value?.toLowerCase() === "strict";
}

/** For how many seconds a client wants to wait (RFC 7240), up to as many as is allowed; 0 if it does not. */
export function waitPreferred(header: string | null): number {
  if (!header) return 0;
  const first = elementsOf(header).find(([preference]) => preference?.name === "wait");
  const text = first?.[0]?.value ?? "";
  return /^[0-9]+$/.test(text) ? Math.min(Number(text), maxWaitSeconds) : 0;
}

const maxWaitSeconds = 30;

/** Whether what is unknown is to be refused and not ignored. If so, the answer says that it was. */
export function followPreference(exchange: Exchange, prefer: string | null): boolean {
  if (!prefersStrict(prefer)) return false;
  exchange.headers["Preference-Applied"] = "handling=strict";
  return true;
}
