import { type PointerEvent, useSyncExternalStore } from "react";
import { Shared } from "./shared.ts";

/** The age of a time; pointing at it shows the exact time. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} onPointerEnter={showExactly}>
      {formatAge(Date.parse(at), now)}
    </time>
  );
}

/** The time of day; pointing at it shows the exact time. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} onPointerEnter={showExactly}>
      {formatTimeOfDay(Date.parse(at))}
    </time>
  );
}

/** Returns the local time of day, such as "09:05". `toLocaleTimeString` takes tens of milliseconds on its first call. */
export function formatTimeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

export function useNow(): number {
  return useSyncExternalStore(steps.subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
}

/** Returns an age such as "5 min ago". Times in the future, by the clock of the store, are now. */
export function formatAge(at: number, now: number): string {
  const seconds = (now - at) / 1_000;
  if (seconds < 45) return "just now";
  const [unit, size] = units.find(([, least]) => seconds >= least * 0.9) ?? (["min", 60] as const);
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit === "day" && count > 1 ? "days" : unit} ago`;
}

export function formatDuration(since: number, now: number): string {
  return formatAge(since, now).replace(" ago", "").replace("just now", "a moment");
}

const units = [
  ["day", 24 * 60 * 60],
  ["hr", 60 * 60],
  ["min", 60],
] as const;

const stepMs = 15_000;

/** One timer for all times of the page. */
const steps = new Shared(0);
setInterval(() => steps.set(steps.value + 1), stepMs);

/** Formatting all times of a page in advance would take long. */
function showExactly({ currentTarget: time }: PointerEvent<HTMLTimeElement>): void {
  time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}
