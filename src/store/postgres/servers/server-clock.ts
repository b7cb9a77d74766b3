import type { Clock, Stopwatch } from "../../../base/clock.ts";
import type { Run } from "../query.ts";

/**
 * An estimate of the server's clock: the server is asked now and then, and the stopwatch counts on between two answers. Setting the
 * clock of this machine changes nothing.
 */
export class ServerClock {
  readonly #timer: Timer;
  #asking: Promise<void> | undefined;

  private constructor(
    private readonly ask: () => Promise<number>,
    private readonly stopwatch: Stopwatch,
    private lead: Lead,
  ) {
    this.#timer = setInterval(() => {
      this.#asking ??= this.check()
        // While the server does not answer, the stopwatch counts on.
        .catch(() => {})
        .finally(() => {
          this.#asking = undefined;
        });
    }, askEveryMs);
  }

  /** Throws ServiceError. */
  static async ask(query: Run, stopwatch: Stopwatch = () => performance.now()): Promise<ServerClock> {
    const ask = async () => {
      const [row] = await query<{ now: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      return Number(row?.now);
    };
    const clock = new ServerClock(ask, stopwatch, await measure(ask, stopwatch));
    // The first answer had to wait for a connection.
    await clock.check();
    return clock;
  }

  readonly now: Clock = () => Math.round(this.stopwatch() + (this.lead.least + this.lead.most) / 2);

  /** Asks the server. Throws ServiceError. */
  async check(): Promise<void> {
    this.lead = narrow(this.lead, await measure(this.ask, this.stopwatch));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
  }
}

const askEveryMs = 5_000;

/** Bounds of how far the server's clock is ahead of the stopwatch, in milliseconds. */
interface Lead {
  readonly least: number;
  readonly most: number;
  /** By the stopwatch. */
  readonly measuredAt: number;
}

/** The server reads its clock after the question was sent and before its answer arrives. */
async function measure(ask: () => Promise<number>, stopwatch: Stopwatch): Promise<Lead> {
  const askedAt = stopwatch();
  const server = await ask();
  const measuredAt = stopwatch();
  return { least: server - measuredAt, most: server - askedAt, measuredAt };
}

/** A slow answer is less precise than what is known already; one that contradicts it means that the clock was set. */
function narrow(known: Lead, measured: Lead): Lead {
  const drift = (measured.measuredAt - known.measuredAt) * maxDrift;
  const least = Math.max(known.least - drift, measured.least);
  const most = Math.min(known.most + drift, measured.most);
  return least <= most ? { ...measured, least, most } : measured;
}

/** How much faster or slower one clock may run than another, also while it is being corrected. */
const maxDrift = 0.001;
