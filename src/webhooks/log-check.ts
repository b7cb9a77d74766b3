import type { DisabledReason } from "../domain/webhook.ts";
import type { EventStore, LogMark } from "../store/store.ts";

/**
 * Why nothing can be read on from a mark without a gap: something after it was removed, or the log is no longer the one that was
 * read up to there, because the store was set back in the meantime. Undefined if it can.
 */
export async function whyUnreadable(log: EventStore, { position, id }: LogMark): Promise<DisabledReason | undefined> {
  const found = position === 0 ? undefined : await log.idAt(position);
  if (position > 0 && (found !== undefined || !(await isRemoved(log, position)))) {
    return found === id ? undefined : "history";
  }
  const ends = await log.ends();
  return ends && ends.oldest.position > position + 1 ? "retention" : undefined;
}

/** Why an event that was in the log is not. Undefined if it is there by now. */
export async function whyMissing(log: EventStore, position: number): Promise<DisabledReason | undefined> {
  if (await isRemoved(log, position)) return "retention";
  return (await log.idAt(position)) === undefined ? "history" : undefined;
}

async function isRemoved(log: EventStore, position: number): Promise<boolean> {
  const ends = await log.ends();
  return ends !== undefined && ends.oldest.position > position;
}
