import type { Quota, QuotaCount } from "../../access/rate-limit.ts";
import { Throttled } from "../../domain/errors.ts";

/** What the answer says of the quota (draft-ietf-httpapi-ratelimit-headers), in whole seconds. Throws TooManyRequests. */
export function tellOfQuota(headers: Record<string, string>, { requests, seconds }: Quota, count: QuotaCount): void {
  const wait = Math.max(1, Math.ceil(count.endsInMs / 1000));
  headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
  headers["RateLimit"] = `"default";r=${Math.max(0, count.left)};t=${wait}`;
  if (!count.isRefused) return;
  const span = seconds === 1 ? "second" : `${seconds} seconds`;
  const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
  throw new Throttled("quota", message, wait);
}
