import type { Clock } from "../domain/clock.ts";
import { basePath, type Operation } from "../operations/operation.ts";
import { HttpError } from "./errors.ts";

/** Whether the operation still belongs to the interface. */
export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < endOf(deprecated.sunset);
}

export function gone({ deprecated, id }: Operation): HttpError {
  const { sunset = "", successor = "" } = deprecated ?? {};
  return new HttpError(
    "Gone",
    `${id} was removed at the end of ${sunset} (UTC). Use GET ${basePath}${successor} instead.`,
  );
}

/** Tells the clients of a deprecated operation since when, until when and for what (RFC 9745, 8594 and 5829). */
export function deprecationHeaders({ deprecated }: Operation, params: Readonly<Record<string, string>>) {
  if (!deprecated) return undefined;
  const successor = deprecated.successor.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  return {
    Deprecation: `@${Date.parse(deprecated.since) / 1000}`,
    Sunset: new Date(endOf(deprecated.sunset) - 1000).toUTCString(),
    Link: `<${basePath}${successor}>; rel="successor-version"`,
  };
}

function endOf(day: string): number {
  return Date.parse(day) + 24 * 60 * 60 * 1000;
}
