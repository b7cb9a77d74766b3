import type { Clock } from "../../base/clock.ts";
import { endOfService, type Operation } from "../../operations/operation.ts";
import { parseParameter } from "../../validation/validator.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import type { UrlBuilder } from "./url-builder.ts";

/** Returns a function that adds the headers of a deprecated operation (RFC 9745, 8594 and 5829), and throws Gone after the sunset. */
export function createDeprecationAnnouncer(
  operation: Operation,
  urls: UrlBuilder,
  clock: Clock,
): ((exchange: Exchange) => void) | undefined {
  const { id, deprecated } = operation;
  if (!deprecated) return undefined;
  const { sunset, successor } = deprecated;
  const end = endOfService(deprecated);
  const errorHeaders = createDeprecationHeaders(operation);
  const paramSchemas = Object.entries(operation.params ?? {});
  return (exchange) => {
    const { headers, params } = exchange;
    exchange.errorHeaders = errorHeaders;
    if (!paramSchemas.some(([name, schema]) => Number.isNaN(parseParameter(schema, params[name] ?? "")))) {
      headers["Link"] = `<${urls.fill(successor, params)}>; rel="successor-version"`;
    }
    if (clock() < end) return;
    const message = `${id} was removed at the end of ${sunset} (UTC). Use GET ${urls.base}${successor} instead.`;
    throw new HttpError("Gone", message);
  };
}

export function createDeprecationHeaders({ deprecated }: Operation): Readonly<Record<string, string>> {
  if (!deprecated) return {};
  const lastSecond = new Date(endOfService(deprecated) - 1000);
  return { Deprecation: `@${Date.parse(deprecated.since) / 1000}`, Sunset: lastSecond.toUTCString() };
}
