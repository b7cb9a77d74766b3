import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import type { Caller } from "../domain/key.ts";
import type { QuotaStore, QuotaUse } from "../store/store.ts";
import type { Quota, QuotaCount, RateLimit } from "./rate-limit.ts";
import { SlidingWindow } from "./sliding-window.ts";

/**
 * The rate limit of processes that share a store. Each process publishes its uses of a key's quota in the store, and in the same step
 * reserves further uses exclusively; most requests take a reserved use without waiting. All processes use the same clock. While the
 * store does not respond, each process limits itself to an even part of the quota, and publishes its uses afterwards.
 */
export class SharedRateLimit implements RateLimit {
  readonly #process = crypto.randomUUID();
  readonly #shares = new Map<number, Share>();
  readonly #windowMs: number;
  readonly #reviewIntervalMs: number;
  #timer: Timer | undefined;

  constructor(
    readonly quota: Quota,
    readonly quotas: QuotaStore,
    readonly clock: Clock,
    readonly maxWaitMs = defaultMaxWaitMs,
  ) {
    this.#windowMs = quota.seconds * 1000;
    this.#reviewIntervalMs = Math.min(Math.max(this.#windowMs / 10, minReviewIntervalMs), maxReviewIntervalMs);
  }

  count({ key }: Caller): Awaitable<QuotaCount> {
    const id = key === "environment" ? 0 : key;
    const share = this.#shares.getOrInsertComputed(id, this.#createShare);
    share.requestCount++;
    this.#timer ??= setInterval(() => this.#review(), this.#reviewIntervalMs);
    return this.#canDecide(share) ? this.#take(share) : this.#takeAfterExchange(share);
  }

  readonly #createShare = (id: number) => new Share(id, new SlidingWindow(this.#windowMs));

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const shares = [...this.#shares.values()].filter(({ reserved }) => reserved > 0);
    for (const share of shares) share.expectedRequests = share.requestCount = 0;
    await Promise.all(shares.map((share) => this.#exchange(share)));
  }

  #canDecide(share: Share): boolean {
    if (this.clock() > share.reservedUntil) share.reserved = 0;
    if (share.reserved > 0 || share.aloneRounds > 0) return true;
    return performance.now() - share.exchangedAt < this.#reviewIntervalMs && this.#countRemaining(share) <= 0;
  }

  async #takeAfterExchange(share: Share): Promise<QuotaCount> {
    share.waitingCount++;
    // Repeated, because the first exchange may have started before this request, and other requests may take the reserved uses.
    for (let round = 0; round < 3 && !this.#canDecide(share); round++) await this.#exchange(share);
    share.waitingCount--;
    return this.#take(share);
  }

  #take(share: Share): QuotaCount {
    const now = this.clock();
    const isRefused = share.reserved === 0 && (share.aloneRounds === 0 || this.#countRemaining(share) <= 0);
    if (!isRefused) {
      share.reserved = Math.max(0, share.reserved - 1);
      share.ownUses.add(now);
      share.hasUnpublished = true;
    }
    const otherUsesExpireInMs = Math.min(...share.otherUses.map(({ at }) => at)) + this.#windowMs - now;
    const resetsInMs = Math.min(share.ownUses.expiresInMs(now), otherUsesExpireInMs);
    return { isRefused, remaining: isRefused ? 0 : Math.max(0, this.#countRemaining(share)), resetsInMs };
  }

  /** Returns the number of remaining uses: for all processes, or for this process while the store does not respond. */
  #countRemaining(share: Share): number {
    const now = this.clock();
    const ownCount = share.ownUses.count(now);
    share.otherUses = share.otherUses.filter(({ at }) => now < at + this.#windowMs);
    const remaining = share.otherUses.reduce((sum, { count }) => sum - count, this.quota.requests - ownCount);
    return share.aloneRounds > 0
      ? Math.min(remaining, Math.ceil(this.quota.requests / share.processCount) - ownCount)
      : remaining;
  }

  #exchange(share: Share): Promise<void> {
    share.exchange ??= this.#publishAndReserve(share).finally(() => {
      share.exchange = undefined;
    });
    return withDeadline(this.maxWaitMs, share.exchange, () => new Error("late")).catch(() => {
      share.aloneRounds = 2;
    });
  }

  async #publishAndReserve(share: Share): Promise<void> {
    const now = this.clock();
    // Reservations last until after the next review.
    const reservedUntil = now + 2 * this.#reviewIntervalMs;
    const neededUses =
      share.aloneRounds > 0 ? 0 : Math.max(share.waitingCount, this.#countUsesToReserve(share)) - share.reserved;
    // If fewer uses are needed than are reserved, the exchange with the store releases the surplus.
    share.reserved += Math.min(0, neededUses);
    share.hasUnpublished = false;
    try {
      const { reserved, others, processCount } = await this.quotas.exchange({
        key: share.key,
        process: this.#process,
        uses: [
          ...share.ownUses.spans.map(({ lastAt, count }) => ({ at: lastAt, count })),
          { at: reservedUntil, count: share.reserved },
        ],
        wanted: Math.max(0, neededUses),
        reservedUntil,
        limit: this.quota.requests,
        cutoff: now - this.#windowMs,
      });
      share.otherUses = others.filter(({ count }) => count > 0);
      share.exchangedAt = performance.now();
      // After an outage, the process stays within its part of the quota until the other processes have published their uses.
      if (share.aloneRounds > 0) return;
      share.reserved += reserved;
      share.reservedUntil = reservedUntil;
      share.processCount = processCount;
    } catch (error) {
      share.hasUnpublished = true;
      throw error;
    }
  }

  /** Returns the number of uses to reserve for upcoming requests. A small quota is not divided: each request reserves its own use. */
  #countUsesToReserve(share: Share): number {
    if (this.quota.requests < minDividedQuota) return 0;
    const fairPart = Math.ceil(this.#countRemaining(share) / (2 * share.processCount));
    return Math.max(0, Math.min(Math.max(share.expectedRequests, share.requestCount), fairPart));
  }

  #review(): void {
    for (const [key, share] of this.#shares) {
      share.expectedRequests = Math.max(share.requestCount, Math.floor(share.expectedRequests / 2));
      share.requestCount = 0;
      if (share.hasUnpublished || share.reserved > 0 || share.aloneRounds > 0) void this.#republish(share);
      else if (share.ownUses.count(this.clock()) === 0) this.#shares.delete(key);
    }
    if (this.#shares.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Publishes uses again. After an outage, the process keeps its own limit for another round, until other processes have published. */
  async #republish(share: Share): Promise<void> {
    const rounds = share.aloneRounds;
    await this.#exchange(share);
    if (rounds > 0 && share.aloneRounds === rounds) share.aloneRounds--;
  }
}

class Share {
  /** Requests that this process has reserved: they already count in the store, but have not been made yet. */
  reserved = 0;
  reservedUntil = 0;
  otherUses: readonly QuotaUse[] = [];
  processCount = 1;
  exchangedAt = Number.NEGATIVE_INFINITY;
  exchange: Promise<void> | undefined;
  hasUnpublished = false;
  /** Number of exchanges that must succeed before the process uses the shared quota again; above 0 once the store has not responded. */
  aloneRounds = 0;
  waitingCount = 0;
  requestCount = 0;
  /** Estimated number of requests until the next review. */
  expectedRequests = 0;

  constructor(
    readonly key: number,
    readonly ownUses: SlidingWindow,
  ) {}
}

const minReviewIntervalMs = 100;
const maxReviewIntervalMs = 1_000;
const minDividedQuota = 20;
/** Shorter than the time after which a request fails because the store does not respond. */
const defaultMaxWaitMs = 500;
