import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import type { Caller } from "../domain/key.ts";
import type { QuotaStore } from "../store/store.ts";
import { QuotaShare } from "./quota-share.ts";
import type { Quota, QuotaCount, RateLimit } from "./rate-limit.ts";

/**
 * For processes that share a store: a key's quota is one for all of them together. Each leases a part of what is left for
 * as many requests as it expects, and gives back what it did not need, so that most requests wait for nobody. Windows are
 * the same for all, by the clock that all agree on.
 */
export class SharedRateLimit implements RateLimit {
  readonly #shares = new Map<number, QuotaShare>();
  readonly #windowMs: number;
  readonly #everyMs: number;
  readonly #inNeed = new Set<QuotaShare>();
  #timer: Timer | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isStuck = false;

  constructor(
    readonly quota: Quota,
    readonly quotas: QuotaStore,
    readonly clock: Clock,
    readonly patienceMs = usualPatienceMs,
  ) {
    this.#windowMs = quota.seconds * 1000;
    this.#everyMs = Math.min(Math.max(this.#windowMs / 10, shortestIntervalMs), longestIntervalMs);
  }

  count({ key }: Caller): Awaitable<QuotaCount> {
    const share = this.#shareOf(key === "environment" ? 0 : key);
    share.demand++;
    this.#timer ??= setInterval(() => this.#review(), this.#everyMs);
    return share.canDecide ? this.#take(share) : this.#takeWhenLeased(share);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const share of this.#shares.values()) {
      share.retire();
      this.#inNeed.add(share);
    }
    await this.#underWay;
    await this.#exchange();
  }

  async #takeWhenLeased(share: QuotaShare): Promise<QuotaCount> {
    share.waiting++;
    // The first may show that there is a debt, and the second go to pay it.
    for (let turn = 0; turn < 3 && !share.canDecide; turn++) await this.#lease(share);
    share.waiting--;
    return this.#take(share);
  }

  #take(share: QuotaShare): QuotaCount {
    const isRefused = !share.take();
    const endsInMs = share.endsAt - this.clock();
    return { isRefused, left: isRefused ? 0 : share.left, endsInMs };
  }

  #shareOf(key: number): QuotaShare {
    const now = this.clock();
    const endsAt = now - (now % this.#windowMs) + this.#windowMs;
    const known = this.#shares.get(key);
    if (known?.endsAt === endsAt) return known;
    const share = known ? known.inWindow(endsAt) : new QuotaShare(key, endsAt, this.quota.requests);
    this.#shares.set(key, share);
    return share;
  }

  /** Those that come while another exchange is in progress go together into the next one. */
  #lease(share: QuotaShare): Promise<void> {
    this.#inNeed.add(share);
    this.#next ??= (async () => {
      await this.#underWay;
      this.#next = undefined;
      this.#underWay = this.#exchange();
      await this.#underWay;
    })();
    return this.#next;
  }

  async #exchange(): Promise<void> {
    const asked = [...this.#inNeed].filter(({ mustAsk }) => mustAsk);
    this.#inNeed.clear();
    if (asked.length === 0) return;
    try {
      if (this.#isStuck) throw storeIsLate();
      const requests = asked.map((share) => share.request());
      const settled = this.quotas.lease(requests, this.quota.requests).then((leases) => {
        for (const [index, share] of asked.entries()) share.settle(requests[index], leases[index]);
      });
      await withDeadline(this.patienceMs, settled, () => {
        // One statement that hangs is enough: meanwhile, decisions are made without the store.
        this.#isStuck = true;
        const goOn = () => {
          this.#isStuck = false;
          for (const share of asked) if (share.isIndebted) this.#lease(share);
        };
        settled.then(goOn, goOn);
        return storeIsLate();
      });
    } catch {
      for (const share of asked) share.isAlone = true;
    }
  }

  /** Now and then: what will be needed is leased ahead, what was not needed is given back. */
  #review(): void {
    const now = this.clock();
    for (const [key, share] of this.#shares) {
      if (share.endsAt + this.#windowMs < now) this.#shares.delete(key);
      if (share.endsAt <= now) continue;
      share.look();
      const isEnding = share.endsAt - now < 1.5 * this.#everyMs;
      for (const one of isEnding && share.used > 0 ? [share, share.ahead(this.#windowMs)] : [share]) {
        if (one.mustAsk) this.#lease(one);
      }
    }
    if (this.#shares.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const shortestIntervalMs = 100;
const longestIntervalMs = 1_000;
/** Sooner than a request would fail because the store does not answer. */
const usualPatienceMs = 500;

function storeIsLate(): Error {
  return new Error("The store did not respond in time.");
}
