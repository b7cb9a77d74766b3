import type { Event } from "../../client/index.ts";
import { dayAfter, dayOf, lastDays } from "../activity/days.ts";

/** Counts of a day. A change that was undone on the same day does not count. */
export interface DayCount {
  readonly day: string;
  readonly added: number;
  readonly reserved: number;
  readonly sold: number;
  readonly deleted: number;
}

export const countedTypes = "pet.created,pet.updated,pet.deleted";

/**
 * Counts the events by day, the oldest day first. If older events were not read, days that were read in part are left
 * out, except today.
 */
export function countByDay(events: readonly Event[], isWhole: boolean, days: number, now: number): DayCount[] {
  const counts = new Map(lastDays(days, now).map((day) => [day, { day, added: 0, reserved: 0, sold: 0, deleted: 0 }]));
  const courses = new Map<string, Course>();
  for (const event of events) {
    const day = dayOf(Date.parse(event.timestamp));
    const count = counts.get(day);
    if (!count) continue;
    if (event.type === "pet.created") count.added++;
    if (event.type === "pet.deleted") count.deleted++;
    if (event.type !== "pet.updated" || !event.previous || !("status" in event.previous)) continue;
    const animal = `${day} ${event.data.id}`;
    const last = courses.get(animal)?.last ?? event.data.status;
    courses.set(animal, { day, first: String(event.previous.status), last });
  }
  for (const { day, first, last } of courses.values()) {
    const count = counts.get(day);
    if (!count || first === last) continue;
    if (first !== "pending" && last !== "available") count.reserved++;
    if (last === "sold") count.sold++;
  }
  const firstKnown = firstWholeDay(events, isWhole);
  return [...counts.values()].filter(({ day }) => day >= firstKnown || day === dayOf(now));
}

/** The status of an animal before a day and at its end. */
interface Course {
  readonly day: string;
  readonly first: string;
  readonly last: string;
}

/** Returns the first day whose events were all read. */
export function firstWholeDay(events: readonly Event[], isWhole: boolean): string {
  const oldest = events.at(-1);
  return isWhole || !oldest ? "" : dayAfter(Date.parse(oldest.timestamp));
}
