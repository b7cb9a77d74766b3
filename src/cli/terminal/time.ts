import { setting } from "../../config.ts";

/** Parses a duration such as `90d`, `12h`, `30m`, `10s` or `0`. Returns milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, amount, unit = ""] = /^([0-9]{1,5})([dhms])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unitMs[unit] ?? Number.NaN);
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Declares a setting for how long a replaced key or secret stays valid. */
export function durationSetting<const Preset extends string>(names: string, help: string, preset: Preset) {
  return setting(names, parseDuration, {
    help: `${help}, such as 24h; 0 to end it immediately.`,
    expects: "a duration such as 24h, 7d or 0",
    default: preset,
  });
}

/** Function from the present to the time of expiry, both in milliseconds since 1970. */
export type Expiry = (now: number) => number;

/** Parses a future time, as a duration from now or as a date in UTC. */
export function parseExpiry(text: string, today = Date.now()): Expiry | undefined {
  const duration = parseDuration(text);
  if (duration) return (now) => now + duration;
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?$/.test(text)) return undefined;
  const date = Date.parse(text);
  // `Date.parse` turns 31 February into 3 March.
  return date > today && new Date(date).toISOString().startsWith(text.slice(0, 10)) ? () => date : undefined;
}
