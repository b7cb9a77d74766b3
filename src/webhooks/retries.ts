/** Delays after the first, second, ... failure; the last one repeats. */
const delaysMs = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"].map((text) => {
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number.parseInt(text, 10) * (units[text.at(-1) ?? ""] ?? 0);
});

/** Longer delays that receivers ask for are shortened to this one. */
const maxRetryAfterMs = 24 * 3_600_000;

/** Returns the delay with a jitter of 10 %, so that events that failed together are not retried together. */
export function retryDelayMs(failures: number, retryAfterMs: number): number {
  const usual = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0;
  const spread = usual * (0.9 + Math.random() * 0.2);
  return Math.round(Math.max(spread, Math.min(retryAfterMs, maxRetryAfterMs)));
}
