import type { Clock } from "../../base/clock.ts";
import type { Deprecation, Operation } from "../../operations/operation.ts";
import { isNonsense } from "../../validation/parameter-text.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "./errors.ts";

/** Whether the operation still belongs to the interface. */
export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < datesOf(deprecated).end;
}

/**
 * What tells the clients of a deprecated operation since when, until when and for what (RFC 9745, 8594 and 5829), and throws
 * Gone after its end. Undefined for all others.
 */
export function endOf(
  operation: Operation,
  addresses: Successors,
  clock: Clock,
): ((exchange: Exchange) => void) | undefined {
  const { deprecated, params: fields = {} } = operation;
  if (!deprecated) return undefined;
  const { end } = datesOf(deprecated);
  const ofErrors = deprecationHeaders(operation);
  const paramFields = Object.entries(fields);
  return (exchange) => {
    const { headers, request } = exchange;
    const { params = {} } = request;
    exchange.ofErrors = ofErrors;
    // Of what cannot exist here, there is no successor either.
    if (paramFields.every(([name, schema]) => !isNonsense(schema, params[name] ?? ""))) {
      headers["Link"] = `<${addresses.successorOf(operation, params)}>; rel="successor-version"`;
    }
    if (clock() >= end) throw gone(operation.id, deprecated, addresses.base);
  };
}

/** Those of its headers that are the same for every request. */
export function deprecationHeaders({ deprecated }: Operation): Readonly<Record<string, string>> {
  if (!deprecated) return {};
  const { Deprecation, Sunset } = datesOf(deprecated);
  return { Deprecation, Sunset };
}

interface Successors {
  readonly base: string;
  successorOf(operation: Operation, params: Readonly<Record<string, string>>): string;
}

function gone(id: string, { sunset, successor }: Deprecation, base: string): HttpError {
  return new HttpError("Gone", `${id} was removed at the end of ${sunset} (UTC). Use GET ${base}${successor} instead.`);
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
