import type { Event } from "../../client/index.ts";
import { dayOf, lastDays } from "../activity/days.ts";

/** How many animals were added and sold on a day. */
export interface DayCount {
  /** Such as `2026-11-15`. */
  readonly day: string;
  readonly added: number;
  readonly sold: number;
}

/** The types of events that say when animals were added and sold. */
export const countedTypes = "pet.created,pet.updated";

/**
 * The last days, the oldest first, from events of those types. If there are older events that were not read, only those days
 * are told of that were read as a whole, and today.
 */
export function countByDay(events: readonly Event[], isWhole: boolean, days: number, now: number): DayCount[] {
  const counts = new Map(lastDays(days, now).map((day) => [day, { day, added: 0, sold: 0 }]));
  for (const event of events) {
    const count = counts.get(dayOf(Date.parse(event.timestamp)));
    if (!count) continue;
    if (event.type === "pet.created") count.added++;
    if (isSale(event)) count.sold++;
  }
  const oldest = events.at(-1);
  const firstKnown = isWhole || !oldest ? "" : dayOf(Date.parse(oldest.timestamp) + dayMs);
  return [...counts.values()].filter(({ day }) => day >= firstKnown || day === dayOf(now));
}

/** What happened on one day. */
export interface DaySummary {
  readonly added: number;
  readonly reserved: number;
  readonly sold: number;
  readonly deleted: number;
}

export function summaryOf(day: string, events: readonly Event[]): DaySummary {
  const those = events.filter(({ timestamp }) => dayOf(Date.parse(timestamp)) === day);
  return {
    added: those.filter(({ type }) => type === "pet.created").length,
    reserved: those.filter((event) => becomes(event, "pending")).length,
    sold: those.filter(isSale).length,
    deleted: those.filter(({ type }) => type === "pet.deleted").length,
  };
}

function isSale(event: Event): boolean {
  return becomes(event, "sold");
}

function becomes(event: Event, status: string): boolean {
  return (
    event.type === "pet.updated" &&
    event.data.status === status &&
    event.previous !== null &&
    "status" in event.previous
  );
}

const dayMs = 24 * 60 * 60 * 1_000;
