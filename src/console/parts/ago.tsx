import { useSyncExternalStore } from "react";

/** How long ago something was; its exact time shows when it is pointed at. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactly(at)}>
      {agoText(Date.parse(at), now)}
    </time>
  );
}

/** The time of the day; the exact time shows when it is pointed at. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactly(at)}>
      {new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" })}
    </time>
  );
}

/** Now, as precisely as people want to know it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
}

/** In few words, such as "5 min ago". What the store's clock says is later than now is now. */
export function agoText(at: number, now: number): string {
  const seconds = (now - at) / 1_000;
  if (seconds < 45) return "just now";
  const [unit, size] = units.find(([, least]) => seconds >= least * 0.9) ?? (["minute", 60] as const);
  return words.format(-Math.max(1, Math.round(seconds / size)), unit).replace(".", "");
}

/** How long something has been so, such as "5 days". */
export function lastingText(since: number, now: number): string {
  return agoText(since, now).replace(" ago", "").replace("just now", "a moment");
}

const words = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
const units = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** Times are drawn again so often. */
const stepMs = 15_000;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, stepMs);
  return () => clearInterval(timer);
}

function exactly(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}
