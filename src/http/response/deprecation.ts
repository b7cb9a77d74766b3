import type { Clock } from "../../base/clock.ts";
import type { Deprecation, Operation } from "../../operations/operation.ts";
import { endOfService } from "../../operations/operation.ts";
import { isMalformedInteger } from "../../validation/validator.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import type { UrlBuilder } from "./url-builder.ts";

/**
 * What tells the clients of a deprecated operation since when, until when and for what (RFC 9745, 8594 and 5829), and throws
 * Gone after its end. Undefined for all others.
 */
export function endOf(
  operation: Operation,
  addresses: UrlBuilder,
  clock: Clock,
): ((exchange: Exchange) => void) | undefined {
  const { deprecated, params: fields = {} } = operation;
  if (!deprecated) return undefined;
  const end = endOfService(deprecated);
  const ofErrors = deprecationHeaders(operation);
  const paramFields = Object.entries(fields);
  return (exchange) => {
    const { headers, params } = exchange;
    exchange.ofErrors = ofErrors;
    // Of what cannot exist here, there is no successor either.
    if (paramFields.every(([name, schema]) => !isMalformedInteger(schema, params[name] ?? ""))) {
      headers["Link"] = `<${addresses.successorOf(operation, params)}>; rel="successor-version"`;
    }
    if (clock() >= end) throw gone(operation.id, deprecated, addresses.base);
  };
}

/** Those of its headers that are the same for every request. */
export function deprecationHeaders({ deprecated }: Operation): Readonly<Record<string, string>> {
  if (!deprecated) return {};
  const lastSecond = new Date(endOfService(deprecated) - 1000);
  return { Deprecation: `@${Date.parse(deprecated.since) / 1000}`, Sunset: lastSecond.toUTCString() };
}

function gone(id: string, { sunset, successor }: Deprecation, base: string): HttpError {
  return new HttpError("Gone", `${id} was removed at the end of ${sunset} (UTC). Use GET ${base}${successor} instead.`);
}
