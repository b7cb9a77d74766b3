import { type PointerEvent, useSyncExternalStore } from "react";
import { Shared } from "./shared.ts";

export function Ago({ at }: { at: string }) {
  const now = useNow();
  return <TimeWithTitle at={at} text={formatAge(Date.parse(at), now)} />;
}

export function TimeOfDay({ at }: { at: string }) {
  return <TimeWithTitle at={at} text={formatTimeOfDay(Date.parse(at))} />;
}

/** Sets the title only when the pointer enters, because formatting all the times in a view would be slow. */
function TimeWithTitle({ at, text }: { at: string; text: string }) {
  const setTitle = ({ currentTarget: time }: PointerEvent<HTMLTimeElement>) => {
    time.title = new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
  };
  return (
    <time dateTime={at} onPointerEnter={setTitle}>
      {text}
    </time>
  );
}

/** Formats without `toLocaleTimeString`, whose first call takes tens of milliseconds. */
export function formatTimeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

export function useNow(): number {
  return useSyncExternalStore(ticks.subscribe, () => Math.floor(Date.now() / tickMs) * tickMs);
}

/** Returns an age such as "5 min ago". A time in the future, which differing clocks can cause, is "just now". */
export function formatAge(at: number, now: number): string {
  const duration = formatDuration(at, now);
  return duration === momentText ? "just now" : `${duration} ago`;
}

export function formatDuration(since: number, now: number): string {
  const seconds = (now - since) / 1_000;
  if (seconds < 45) return momentText;
  const [unit, size] = durationUnits.find(([, size]) => seconds >= size * 0.9) ?? (["min", 60] as const);
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit === "day" && count > 1 ? "days" : unit}`;
}

const momentText = "a moment";
const durationUnits = [
  ["day", 24 * 60 * 60],
  ["hr", 60 * 60],
  ["min", 60],
] as const;

const tickMs = 15_000;

const ticks = new Shared(0);
setInterval(() => ticks.set(ticks.value + 1), tickMs);
