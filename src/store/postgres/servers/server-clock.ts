import type { Stopwatch } from "../../../base/clock.ts";
import type { Run } from "../query.ts";

/** Returns a clock that follows the server's clock. The stopwatch bridges the time between two polls. Throws ServiceError. */
export async function startServerClock(query: Run, stopwatch: Stopwatch = () => performance.now()) {
  let offset = await measureOffset(query, stopwatch);
  let polling: Promise<void> | undefined;
  const update = async () => {
    offset = combineOffsets(offset, await measureOffset(query, stopwatch));
  };
  await update();
  const poll = async () => {
    // While the server does not respond, the stopwatch alone advances the clock.
    await update().catch(() => {});
    polling = undefined;
  };
  const timer = setInterval(() => {
    polling ??= poll();
  }, pollIntervalMs);
  return {
    now: () => Math.round(stopwatch() + (offset.min + offset.max) / 2),
    update,
    async close() {
      clearInterval(timer);
      await polling;
    },
  };
}

const pollIntervalMs = 5_000;

/** Bounds of the lead of the server's clock over the stopwatch, in milliseconds. */
type ClockOffset = Awaited<ReturnType<typeof measureOffset>>;

/** Measures both bounds: the server reads its clock after the query is sent and before the response arrives. */
async function measureOffset(query: Run, stopwatch: Stopwatch) {
  const sentAt = stopwatch();
  const [row] = await query<{ now: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
  const measuredAt = stopwatch();
  return { min: Number(row?.now) - measuredAt, max: Number(row?.now) - sentAt, measuredAt };
}

/** Combines two measurements. If their bounds do not overlap, the server's clock was set, and only the new measurement counts. */
function combineOffsets(known: ClockOffset, measured: ClockOffset): ClockOffset {
  const drift = (measured.measuredAt - known.measuredAt) * maxDrift;
  const min = Math.max(known.min - drift, measured.min);
  const max = Math.min(known.max + drift, measured.max);
  return min <= max ? { ...measured, min, max } : measured;
}

const maxDrift = 0.001;
