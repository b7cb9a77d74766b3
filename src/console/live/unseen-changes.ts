import type { PetCreatedEvent, PetDeletedEvent, PetUpdatedEvent } from "../../../packages/client/src/index.ts";
import { Shared, useShared } from "../parts/shared.ts";

/** The animals that others have added, deleted or moved elsewhere since the table was last read. */
const waiting = new Shared<ReadonlySet<number>>(new Set());

export function useUnseenChangeCount(): number {
  return useShared(waiting).size;
}

/** Changes within a row need not wait. */
export function recordChange(event: PetCreatedEvent | PetUpdatedEvent | PetDeletedEvent): void {
  const isInPlace =
    event.type === "pet.updated" && !(event.previous && ("status" in event.previous || "categoryId" in event.previous));
  if (!isInPlace) waiting.set(new Set([...waiting.value, event.data.id]));
}

export function clearUnseenChanges(): void {
  if (waiting.value.size > 0) waiting.set(new Set());
}
