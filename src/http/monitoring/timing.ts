import type { Exchange } from "../exchange.ts";

/** Where the time of a request went, in milliseconds. What is 0 is left out. */
export function timingOf({ bodyMs, queueMs, storeMs }: Exchange): Readonly<Record<string, number>> {
  // A write waits in the queue while the store has it.
  const parts = { body: bodyMs, queue: queueMs, store: storeMs - queueMs };
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, milliseconds]) => (milliseconds > 0 ? [[name, rounded(milliseconds)]] : [])),
  );
}

/** The same as the header that browsers show (https://www.w3.org/TR/server-timing/). */
export function serverTiming(exchange: Exchange, totalMs: number): string {
  return Object.entries({ ...timingOf(exchange), total: rounded(totalMs) })
    .map(([name, milliseconds]) => `${name};dur=${milliseconds}`)
    .join(", ");
}

/** To a microsecond. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
