import { expect, test } from "bun:test";
import type { Event } from "../../../packages/client/src/index.ts";
import { formatDayTitle, listLastDays, toDay } from "../activity/days.ts";
import { countByDay } from "./day-counts.ts";

const now = new Date(2026, 10, 15, 14, 0).getTime();
const formatTimestamp = (daysAgo: number, hour: number) => new Date(2026, 10, 15 - daysAgo, hour).toISOString();
const pet = { id: 1, status: "available" };
const createAddedEvent = (timestamp: string) => ({ type: "pet.created", timestamp, data: pet, previous: null });
const createChangedEvent = (timestamp: string, status: string, previous: object, id = 1) => ({
  type: "pet.updated",
  timestamp,
  data: { id, status },
  previous,
});
const events = [
  createChangedEvent(formatTimestamp(0, 13), "sold", { status: "pending" }),
  createChangedEvent(formatTimestamp(0, 12), "pending", { status: "available" }),
  // Renaming a sold animal does not count as a sale.
  createChangedEvent(formatTimestamp(0, 11), "sold", { name: "Rex" }),
  createAddedEvent(formatTimestamp(0, 0)),
  createAddedEvent(formatTimestamp(1, 23)),
  createChangedEvent(formatTimestamp(2, 1), "sold", { status: "pending" }),
  createAddedEvent(formatTimestamp(9, 12)),
] as unknown as Event[];

test("animals are counted by local day, and days without events have counts of zero", () => {
  expect(countByDay(events, true, 4, now)).toEqual([
    { day: "2026-11-12", added: 0, reserved: 0, sold: 0, deleted: 0 },
    { day: "2026-11-13", added: 0, reserved: 0, sold: 1, deleted: 0 },
    { day: "2026-11-14", added: 1, reserved: 0, sold: 0, deleted: 0 },
    { day: "2026-11-15", added: 1, reserved: 1, sold: 1, deleted: 0 },
  ]);
});

test("days whose events were not all read are left out of the counts, except today", () => {
  const findKnownDays = (count: number) => countByDay(events.slice(0, count), false, 10, now).map(({ day }) => day);
  expect(findKnownDays(6)).toEqual(["2026-11-14", "2026-11-15"]);
  expect(findKnownDays(2)).toEqual(["2026-11-15"]);
  expect(countByDay(events, false, 10, now)).toHaveLength(9);
});

test("a day whose events were not all read is left out of the counts even if the day has 25 hours", () => {
  const previousZone = process.env["TZ"];
  process.env["TZ"] = "Europe/Berlin";
  try {
    // The oldest event is half an hour after the start of the day on which the clocks go back.
    const oldAndNew = [
      createAddedEvent("2026-10-26T10:00:00Z"),
      createAddedEvent("2026-10-24T22:30:00Z"),
    ] as unknown as Event[];
    const days = countByDay(oldAndNew, false, 5, Date.parse("2026-10-27T12:00:00Z")).map(({ day }) => day);
    expect(days).toEqual(["2026-10-26", "2026-10-27"]);
  } finally {
    process.env["TZ"] = previousZone ?? "";
  }
});

test("changes that are undone on the same day are not counted, and a return does not reduce the count of other sales", () => {
  const countToday = (...newestFirst: (readonly [from: string, to: string])[]) => {
    const all = newestFirst.map(([status, to], index) =>
      createChangedEvent(formatTimestamp(0, 20 - index), to, { status }, 7),
    );
    const { reserved, sold } = countByDay(all as unknown as Event[], true, 1, now)[0] ?? {};
    return { reserved, sold };
  };
  const [reserving, selling] = [["available", "pending"] as const, ["pending", "sold"] as const];
  const [cancelling, returning] = [["pending", "available"] as const, ["sold", "available"] as const];
  expect(countToday(selling, reserving)).toEqual({ reserved: 1, sold: 1 });
  expect(countToday(cancelling, reserving)).toEqual({ reserved: 0, sold: 0 });
  // To undo a sale, the console returns the animal and then reserves it.
  expect(countToday(reserving, returning, selling)).toEqual({ reserved: 0, sold: 0 });
  expect(countToday(returning)).toEqual({ reserved: 0, sold: 0 });
  expect(countToday(reserving, returning)).toEqual({ reserved: 1, sold: 0 });
  expect(countToday(selling, reserving, returning)).toEqual({ reserved: 0, sold: 0 });
});

test("a day has a title such as Today, Yesterday or Friday 13 November", () => {
  expect(listLastDays(3, new Date(2026, 2, 1, 0, 30).getTime())).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  expect(["2026-11-15", "2026-11-14", "2026-11-13"].map((day) => formatDayTitle(day, now))).toEqual([
    "Today",
    "Yesterday",
    "Friday 13 November",
  ]);
  expect(toDay(new Date(2026, 0, 2, 23, 59).getTime())).toBe("2026-01-02");
});
