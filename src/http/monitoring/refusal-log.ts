import type { ServiceError } from "../../domain/errors.ts";
import type { Log } from "../../log/log.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import { maxNetworks, toNetwork } from "../access/address-limit.ts";
import type { Exchange } from "../exchange.ts";

/**
 * Keeps refusals from flooding the log: each second, the first refusal of an address gets its own line, and a summary line counts the
 * further refusals of that address.
 */
export class RefusalLog {
  readonly #counts = new Map<string, number>();

  constructor(readonly log: Log) {}

  /** Returns true if the request is a repeated refusal, which gets no line of its own. A failure with a cause always gets its own line. */
  countIfRepeated(exchange: Exchange, status: number, failure: ServiceError<ErrorCode> | undefined): boolean {
    if (exchange.caller || status < 400 || failure?.cause !== undefined) return false;
    const client = this.#counts.size < maxNetworks ? toNetwork(exchange.clientAddress()) : "others";
    const count = this.#counts.get(client);
    if (this.#counts.size === 0) setTimeout(() => this.summarise(), summaryIntervalMs);
    this.#counts.set(client, count === undefined ? 0 : count + 1);
    return count !== undefined;
  }

  summarise(): void {
    for (const [client, count] of this.#counts) {
      if (count > 0) this.log.write("info", "more requests were refused", { client, count });
    }
    this.#counts.clear();
  }
}

const summaryIntervalMs = 1_000;
