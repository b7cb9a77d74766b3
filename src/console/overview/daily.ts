import type { Event } from "../../client/index.ts";
import { dayAfter, dayOf, lastDays } from "../activity/days.ts";

/**
 * How many animals were added, reserved, sold and deleted on a day. What was undone on the same day does not count: an animal
 * counts as reserved or sold if the day has made it so, compared with what it was before.
 */
export interface DayCount {
  /** Such as `2026-11-15`. */
  readonly day: string;
  readonly added: number;
  readonly reserved: number;
  readonly sold: number;
  readonly deleted: number;
}

/** The types of events that say so. */
export const countedTypes = "pet.created,pet.updated,pet.deleted";

/**
 * The last days, the oldest first, from events of those types, the newest first. If there are older events that were not read,
 * only those days are told of that were read as a whole, and today.
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

/** What an animal was before a day, and has become on it. */
interface Course {
  readonly day: string;
  readonly first: string;
  readonly last: string;
}

/** The first day of which everything was read. */
export function firstWholeDay(events: readonly Event[], isWhole: boolean): string {
  const oldest = events.at(-1);
  return isWhole || !oldest ? "" : dayAfter(Date.parse(oldest.timestamp));
}
