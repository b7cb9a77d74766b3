import type { Clock, Stopwatch } from "../../../base/clock.ts";
import type { Run } from "../query.ts";

/**
 * An estimate of the server's clock, which setting the clock of this machine does not change: the server is polled now and then, and the
 * stopwatch bridges the time between two polls.
 */
export class ServerClock {
  readonly #timer: Timer;
  #polling: Promise<void> | undefined;

  private constructor(
    private readonly readServerTime: () => Promise<number>,
    private readonly stopwatch: Stopwatch,
    private lead: Lead,
  ) {
    this.#timer = setInterval(() => {
      this.#polling ??= this.check()
        // The stopwatch bridges the time until the server responds again.
        .catch(() => {})
        .finally(() => {
          this.#polling = undefined;
        });
    }, pollIntervalMs);
  }

  /** Throws ServiceError. */
  static async start(query: Run, stopwatch: Stopwatch = () => performance.now()): Promise<ServerClock> {
    const readServerTime = async () => {
      const [row] = await query<{ now: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      return Number(row?.now);
    };
    const clock = new ServerClock(readServerTime, stopwatch, await measure(readServerTime, stopwatch));
    // The first response had to wait for a connection.
    await clock.check();
    return clock;
  }

  readonly now: Clock = () => Math.round(this.stopwatch() + (this.lead.min + this.lead.max) / 2);

  /** Polls the server. Throws ServiceError. */
  async check(): Promise<void> {
    this.lead = narrow(this.lead, await measure(this.readServerTime, this.stopwatch));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
  }
}

const pollIntervalMs = 5_000;

/** Bounds of the time by which the server's clock is ahead of the stopwatch, in milliseconds. */
interface Lead {
  readonly min: number;
  readonly max: number;
  /** By the stopwatch. */
  readonly measuredAt: number;
}

/** The server reads its clock after the query was sent and before its response arrives. */
async function measure(readServerTime: () => Promise<number>, stopwatch: Stopwatch): Promise<Lead> {
  const sentAt = stopwatch();
  const server = await readServerTime();
  const measuredAt = stopwatch();
  return { min: server - measuredAt, max: server - sentAt, measuredAt };
}

/** Combines two measurements. A slow response is less precise than what is known; one that contradicts it means that the clock was set. */
function narrow(known: Lead, measured: Lead): Lead {
  const drift = (measured.measuredAt - known.measuredAt) * maxDrift;
  const min = Math.max(known.min - drift, measured.min);
  const max = Math.min(known.max + drift, measured.max);
  return min <= max ? { ...measured, min, max } : measured;
}

/** Maximum relative difference in speed between two clocks, also while one of them is being corrected. */
const maxDrift = 0.001;
