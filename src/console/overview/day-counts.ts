import type { Event } from "../../../packages/client/src/index.ts";
import { listLastDays, toDay, toDayAfter } from "../activity/days.ts";

/** The numbers of animals added, reserved, sold and deleted on one day. A change that is undone on the same day does not count. */
export type DayCount = ReturnType<typeof countByDay>[number];

export const countedEventTypes = ["pet.created", "pet.updated", "pet.deleted"] as const;

const countNames: Readonly<Record<string, "added" | "deleted">> = { "pet.created": "added", "pet.deleted": "deleted" };

/** Counts events by day, the oldest day first. Leaves out days whose events were not all read, except today. */
export function countByDay(events: readonly Event[], isComplete: boolean, days: number, now: number) {
  const counts = new Map(
    listLastDays(days, now).map((day) => [day, { day, added: 0, reserved: 0, sold: 0, deleted: 0 }]),
  );
  for (const event of events) {
    const count = counts.get(toDay(Date.parse(event.timestamp)));
    const name = countNames[event.type];
    if (count && name) count[name]++;
  }
  for (const { day, first, last } of collectStatusChanges(events)) {
    const count = counts.get(day);
    if (!count || first === last) continue;
    if (first !== "pending" && last !== "available") count.reserved++;
    if (last === "sold") count.sold++;
  }
  const firstCompleteDay = findFirstCompleteDay(events, isComplete);
  return [...counts.values()].filter(({ day }) => day >= firstCompleteDay || day === toDay(now));
}

function collectStatusChanges(events: readonly Event[]) {
  const changes = new Map<string, { day: string; first: string; last: string }>();
  for (const event of events) {
    if (event.type !== "pet.updated" || !event.previous || !("status" in event.previous)) continue;
    const day = toDay(Date.parse(event.timestamp));
    const animal = `${day} ${event.data.id}`;
    const last = changes.get(animal)?.last ?? event.data.status;
    changes.set(animal, { day, first: String(event.previous.status), last });
  }
  return changes.values();
}

/** Returns the first day whose events were all read, or "" if all events were read. */
export function findFirstCompleteDay(events: readonly Event[], isComplete: boolean): string {
  const oldest = events.at(-1);
  return isComplete || !oldest ? "" : toDayAfter(Date.parse(oldest.timestamp));
}
