import { type PointerEvent, useSyncExternalStore } from "react";

/** How long ago something was; its exact time shows when it is pointed at. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} onPointerEnter={showExactly}>
      {agoText(Date.parse(at), now)}
    </time>
  );
}

/** The time of the day; the exact time shows when it is pointed at. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} onPointerEnter={showExactly}>
      {clockText(Date.parse(at))}
    </time>
  );
}

/**
 * The time of a day where people are, such as "09:05". Not by the browser, which takes tens of milliseconds to load what it
 * knows about languages.
 */
export function clockText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Now, as precisely as people want to know it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
}

/** In few words, such as "5 min ago". What the store's clock says is later than now is now. */
export function agoText(at: number, now: number): string {
  const seconds = (now - at) / 1_000;
  if (seconds < 45) return "just now";
  const [unit, size] = units.find(([, least]) => seconds >= least * 0.9) ?? (["min", 60] as const);
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit === "day" && count > 1 ? "days" : unit} ago`;
}

/** How long something has been so, such as "5 days". */
export function lastingText(since: number, now: number): string {
  return agoText(since, now).replace(" ago", "").replace("just now", "a moment");
}

const units = [
  ["day", 24 * 60 * 60],
  ["hr", 60 * 60],
  ["min", 60],
] as const;

/** Times are drawn again so often. */
const stepMs = 15_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for a page full of times. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Not before it is wanted, since it takes long to say for a page full of times. */
function showExactly({ currentTarget: time }: PointerEvent<HTMLTimeElement>): void {
  time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}
