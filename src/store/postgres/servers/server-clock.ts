import type { Clock, Stopwatch } from "../../../base/clock.ts";
import type { Run } from "../query.ts";

export interface ServerClock {
  readonly now: Clock;
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Estimates the server's clock, whatever the clock of this machine says: the server is polled now and then, and the stopwatch bridges the
 * time between two polls. Throws ServiceError.
 */
export async function startServerClock(
  query: Run,
  stopwatch: Stopwatch = () => performance.now(),
): Promise<ServerClock> {
  let lead = await measureLead(query, stopwatch);
  let polling: Promise<void> | undefined;
  const check = async () => {
    lead = narrow(lead, await measureLead(query, stopwatch));
  };
  await check();
  const poll = async () => {
    // While the server does not respond, the stopwatch goes on.
    await check().catch(() => {});
    polling = undefined;
  };
  const timer = setInterval(() => {
    polling ??= poll();
  }, pollIntervalMs);
  return {
    now: () => Math.round(stopwatch() + (lead.min + lead.max) / 2),
    check,
    async close() {
      clearInterval(timer);
      await polling;
    },
  };
}

const pollIntervalMs = 5_000;

/** Bounds of the time by which the server's clock is ahead of the stopwatch, in milliseconds. */
interface Lead {
  readonly min: number;
  readonly max: number;
  readonly measuredAt: number;
}

/** The server reads its clock after the query was sent and before its response arrives. */
async function measureLead(query: Run, stopwatch: Stopwatch): Promise<Lead> {
  const sentAt = stopwatch();
  const [row] = await query<{ now: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
  const measuredAt = stopwatch();
  return { min: Number(row?.now) - measuredAt, max: Number(row?.now) - sentAt, measuredAt };
}

/** Combines two measurements. A slow response is less precise than what is known; one that contradicts it means that the clock was set. */
function narrow(known: Lead, measured: Lead): Lead {
  const drift = (measured.measuredAt - known.measuredAt) * maxDrift;
  const min = Math.max(known.min - drift, measured.min);
  const max = Math.min(known.max + drift, measured.max);
  return min <= max ? { ...measured, min, max } : measured;
}

const maxDrift = 0.001;
