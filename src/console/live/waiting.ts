import { useSyncExternalStore } from "react";
import type { PetCreatedEvent, PetDeletedEvent, PetUpdatedEvent } from "../../client/index.ts";

/** Which animals others have added, deleted or moved elsewhere since the table was last read. */
export function useWaiting(): number {
  return useSyncExternalStore(subscribe, () => waiting.size);
}

/** What changes only what is within a row does not have to wait. */
export function noteChange(event: PetCreatedEvent | PetUpdatedEvent | PetDeletedEvent): void {
  const isInPlace =
    event.type === "pet.updated" && !(event.previous && ("status" in event.previous || "categoryId" in event.previous));
  if (isInPlace) return;
  waiting.add(event.data.id);
  tell();
}

/** After the table was read. */
export function forgetChanges(): void {
  if (waiting.size === 0) return;
  waiting.clear();
  tell();
}

const waiting = new Set<number>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
