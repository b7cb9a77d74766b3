import type { Clock } from "../../base/clock.ts";
import type { Deprecation, Operation } from "../../operations/operation.ts";
import { HttpError } from "./errors.ts";

/** Whether the operation still belongs to the interface. */
export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < datesOf(deprecated).end;
}

export function gone({ deprecated, id }: Operation, base: string): HttpError {
  const { sunset = "", successor = "" } = deprecated ?? {};
  return new HttpError("Gone", `${id} was removed at the end of ${sunset} (UTC). Use GET ${base}${successor} instead.`);
}

/** Tells the clients of a deprecated operation since when, until when and for what (RFC 9745, 8594 and 5829). */
export function deprecationHeaders(deprecation: Deprecation, successor: string | undefined): Record<string, string> {
  const { Deprecation, Sunset } = datesOf(deprecation);
  return { Deprecation, Sunset, ...(successor !== undefined && { Link: `<${successor}>; rel="successor-version"` }) };
}

interface Dates {
  readonly end: number;
  readonly Deprecation: string;
  readonly Sunset: string;
}

/** They never change, so that each is read once. */
const dates = new WeakMap<Deprecation, Dates>();

function datesOf(deprecation: Deprecation): Dates {
  let known = dates.get(deprecation);
  if (!known) {
    const end = Date.parse(deprecation.sunset) + 24 * 60 * 60 * 1000;
    known = {
      end,
      Deprecation: `@${Date.parse(deprecation.since) / 1000}`,
      Sunset: new Date(end - 1000).toUTCString(),
    };
    dates.set(deprecation, known);
  }
  return known;
}
