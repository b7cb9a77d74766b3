/** Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). */
export function parseRetryAfterMs(header: string | null | undefined, now: number): number {
  if (header === null || header === undefined) return 0;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? 0 : Math.max(0, until - now);
}
