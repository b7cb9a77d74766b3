import type { Exchange } from "../exchange.ts";
import { parseList } from "./header-fields.ts";

/** Returns true for `Prefer: handling=strict` (RFC 7240), which makes unknown names an error, and tells the client that this applies. */
export function applyStrictPreference(exchange: Exchange, prefer: string | null): boolean {
  if (findPreference(prefer, "handling")?.toLowerCase() !== "strict") return false;
  exchange.headers["Preference-Applied"] = "handling=strict";
  return true;
}

/** Returns the seconds that the client prefers to wait (RFC 7240), up to the maximum; 0 by default. */
export function parsePreferredWait(header: string | null): number {
  const text = findPreference(header, "wait") ?? "";
  return /^[0-9]+$/.test(text) ? Math.min(Number(text), maxWaitSeconds) : 0;
}

const maxWaitSeconds = 30;

function findPreference(header: string | null, name: string): string | undefined {
  if (!header) return undefined;
  return parseList(header).find(([preference]) => preference?.name === name)?.[0]?.value;
}
