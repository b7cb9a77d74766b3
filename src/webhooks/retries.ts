/** How long after an event has failed for the nth time it is tried again. After the last of these, it stays at that. */
const delaysMs = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"].map((text) => {
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number.parseInt(text, 10) * (units[text.at(-1) ?? ""] ?? 0);
});

/** Beyond which a receiver is not listened to. */
const longestRetryAfterMs = 24 * 3_600_000;

/**
 * After how long to try again what has failed so many times. A tenth more or less is left to chance, so that what failed
 * together does not come back together.
 */
export function retryDelayMs(failures: number, retryAfterMs: number): number {
  const usual = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0;
  const spread = usual * (0.9 + Math.random() * 0.2);
  return Math.round(Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs)));
}
