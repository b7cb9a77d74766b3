import type { WireRequest } from "../../wire/message.ts";
import { mayRevealKey } from "./revealed-key.ts";

/** Keeps the id that a client or a proxy gave the request, if it is fit for a header and a log, and has no key in it. */
export function requestIdOf({ headers }: WireRequest): string {
  const given = headers.get("x-request-id");
  const isFit = given && /^[A-Za-z0-9._:+/=-]{1,128}$/.test(given);
  return isFit && !mayRevealKey(given, headers) ? given : crypto.randomUUID();
}
