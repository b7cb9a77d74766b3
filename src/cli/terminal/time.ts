import { setting } from "../../config.ts";

/** Parses a duration such as `90d`, `12h`, `30m`, `10s` or `0`. Returns milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, amount, unit = ""] = /^([0-9]{1,5})([dhms])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unitMs[unit] ?? Number.NaN);
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

export function durationSetting<const Preset extends string>(names: string, help: string, preset: Preset) {
  return setting(names, parseDuration, {
    help: `${help}, such as 24h; 0 to end it immediately.`,
    expects: "a duration such as 24h, 7d or 0",
    default: preset,
  });
}

/** Converts a future time, given as a duration from now or as a date in UTC, to ISO format. */
export function parseExpiry(text: string, now = Date.now()): string | undefined {
  const duration = parseDuration(text);
  if (duration) return new Date(now + duration).toISOString();
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?$/.test(text)) return undefined;
  const date = Date.parse(text);
  const time = date > now ? new Date(date).toISOString() : undefined;
  // `Date.parse` turns 31 February into 3 March.
  return time?.startsWith(text.slice(0, 10)) ? time : undefined;
}
