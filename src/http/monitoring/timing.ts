import type { Exchange } from "../exchange.ts";

export function listTimings({ bodyMs, queueMs, storeMs }: Exchange): [name: string, milliseconds: number][] {
  // `storeMs` includes `queueMs`.
  const parts = { body: bodyMs, queue: queueMs, store: storeMs - queueMs };
  return Object.entries(parts)
    .filter(([, milliseconds]) => milliseconds > 0)
    .map(([name, milliseconds]) => [name, roundToMicroseconds(milliseconds)]);
}

/** Formats the `Server-Timing` header, which the developer tools of browsers show (https://www.w3.org/TR/server-timing/). */
export function formatServerTiming(exchange: Exchange): string {
  const timing = [...listTimings(exchange), ["total", roundToMicroseconds(exchange.elapsedMs)]];
  return timing.map(([name, milliseconds]) => `${name};dur=${milliseconds}`).join(", ");
}

export function roundToMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
