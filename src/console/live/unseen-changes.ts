import type { PetCreatedEvent, PetDeletedEvent, PetUpdatedEvent } from "../../../packages/client/src/index.ts";
import { Shared, useShared } from "../parts/shared.ts";

/** The ids of animals that other users have added, deleted or moved into another filtered list since the table was last read. */
const unseenChangeIds = new Shared<ReadonlySet<number>>(new Set());

export function useUnseenChangeCount(): number {
  return useShared(unseenChangeIds).size;
}

export function recordChange({ type, data, previous }: PetCreatedEvent | PetUpdatedEvent | PetDeletedEvent): void {
  const hasKeptPosition = type === "pet.updated" && !(previous && ("status" in previous || "categoryId" in previous));
  if (!hasKeptPosition) unseenChangeIds.set(new Set([...unseenChangeIds.value, data.id]));
}

export function clearUnseenChanges(): void {
  if (unseenChangeIds.value.size > 0) unseenChangeIds.set(new Set());
}
