import type { Quota, QuotaCount } from "../../access/rate-limit.ts";
import { Throttled } from "../../domain/errors.ts";

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers, in whole seconds. Throws TooManyRequests. */
export function setRateLimitHeaders(
  headers: Record<string, string>,
  { requests, seconds }: Quota,
  { isRefused, left, resetsInMs }: QuotaCount,
): void {
  const wait = Math.max(1, Math.ceil(resetsInMs / 1000));
  headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
  headers["RateLimit"] = `"default";r=${left};t=${wait}`;
  if (!isRefused) return;
  const span = seconds === 1 ? "second" : `${seconds} seconds`;
  const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
  throw new Throttled("quota", message, wait);
}
