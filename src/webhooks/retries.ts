const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Delays after the first failure, the second, and so on; the last delay repeats. */
const delaysMs = [5_000, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];

const maxRetryAfterMs = 24 * hourMs;

/** Returns the delay with a jitter of 10 %, so that events that failed together are not retried together. */
export function computeRetryDelayMs(failureCount: number, retryAfterMs: number): number {
  const delayMs = delaysMs[Math.min(failureCount, delaysMs.length) - 1] ?? 0;
  const spreadMs = delayMs * (0.9 + Math.random() * 0.2);
  return Math.round(Math.max(spreadMs, Math.min(retryAfterMs, maxRetryAfterMs)));
}
