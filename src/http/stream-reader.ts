import type { StreamReader } from "../base/paced-stream.ts";
import type { Exchange } from "./exchange.ts";
import type { RouteParts } from "./route-parts.ts";

/** The client that a response is streamed to. */
export function streamReader({ request: { peer } }: Exchange, { limits }: RouteParts): StreamReader {
  return {
    timeoutMs: limits.readerTimeoutMs,
    minBytesPerMs: () => 1,
    takenBytes: () => peer.takenBytes(),
    keepOpen: () => peer.useShortWriteTimeout(false),
    cutIfStalled: () => peer.useShortWriteTimeout(true),
  };
}
