/** A length of time such as `90d`, `12h`, `30m`, `10s` or `0`, in milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, amount, unit = ""] = /^([0-9]{1,5})([dhms])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (milliseconds[unit] ?? Number.NaN);
}

/** When something that begins now expires; both in milliseconds since 1970. */
export type Expiry = (now: number) => number;

/** A time to come, as a length of time from now or as a date in UTC. */
export function parseExpiry(text: string, today = Date.now()): Expiry | undefined {
  const duration = parseDuration(text);
  if (duration) return (now) => now + duration;
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?$/.test(text)) return undefined;
  const date = Date.parse(text);
  // The parser turns 31 February into 3 March; nobody who writes the one means the other.
  return date > today && new Date(date).toISOString().startsWith(text.slice(0, 10)) ? () => date : undefined;
}

const milliseconds: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
