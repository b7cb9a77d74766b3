import type { PetCreatedEvent, PetDeletedEvent, PetUpdatedEvent } from "../../../packages/client/src/index.ts";
import { Shared, useShared } from "../parts/shared.ts";

/** The ids of animals that other users have added, deleted or moved into another filtered list since the table was last read. */
const changedIds = new Shared<ReadonlySet<number>>(new Set());

export function useUnseenChangeCount(): number {
  return useShared(changedIds).size;
}

export function recordChange({ type, data, previous }: PetCreatedEvent | PetUpdatedEvent | PetDeletedEvent): void {
  const hasKeptPosition = type === "pet.updated" && !(previous && ("status" in previous || "categoryId" in previous));
  if (!hasKeptPosition) changedIds.set(new Set([...changedIds.value, data.id]));
}

export function clearUnseenChanges(): void {
  if (changedIds.value.size > 0) changedIds.set(new Set());
}
