import type { DisabledReason } from "../domain/webhook.ts";
import type { EventStore, LogMark } from "../store/store.ts";

/** Returns the reason for a gap in the event log after a mark, if there is one: events were removed, or the store was restored. */
export async function findGapReason(log: EventStore, { position, id }: LogMark): Promise<DisabledReason | undefined> {
  const foundId = position === 0 ? undefined : await log.idAt(position);
  if (position > 0 && (foundId !== undefined || !(await isRemoved(log, position)))) {
    return foundId === id ? undefined : "history";
  }
  return (await isRemoved(log, position + 1)) ? "retention" : undefined;
}

export async function findLossReason(log: EventStore, position: number): Promise<DisabledReason | undefined> {
  if (await isRemoved(log, position)) return "retention";
  return (await log.idAt(position)) === undefined ? "history" : undefined;
}

async function isRemoved(log: EventStore, position: number): Promise<boolean> {
  const ends = await log.ends();
  return ends !== undefined && ends.oldest.position > position;
}
