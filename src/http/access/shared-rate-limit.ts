import type { Awaitable } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import type { Caller } from "../../domain/key.ts";
import type { Lease, LeaseRequest, QuotaStore } from "../../store/store.ts";
import { type Quota, type RateLimit, tellOfQuota } from "./rate-limit.ts";

/**
 * For processes that share a store: a key's quota is one for all of them together. Each leases a part of what is left for
 * as many requests as it expects, and gives back what it did not need, so that most requests wait for nobody. Windows are
 * the same for all, by the clock that all agree on.
 */
export class SharedRateLimit implements RateLimit {
  readonly #shares = new Map<number, Share>();
  readonly #windowMs: number;
  readonly #everyMs: number;
  readonly #inNeed = new Set<Share>();
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

  count({ key }: Caller, headers: Record<string, string>): Awaitable<void> {
    const share = this.#shareOf(key === "environment" ? 0 : key);
    share.demand++;
    this.#timer ??= setInterval(() => this.#review(), this.#everyMs);
    return share.canDecide ? this.#take(share, headers) : this.#takeWhenLeased(share, headers);
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

  async #takeWhenLeased(share: Share, headers: Record<string, string>): Promise<void> {
    share.waiting++;
    await this.#lease(share);
    // That may have gone to pay a debt.
    if (!share.canDecide) await this.#lease(share);
    share.waiting--;
    this.#take(share, headers);
  }

  #take(share: Share, headers: Record<string, string>): void {
    const isRefused = !share.take();
    const endsInMs = share.endsAt - this.clock();
    tellOfQuota(headers, this.quota, { isRefused, left: isRefused ? 0 : share.left, endsInMs });
  }

  #shareOf(key: number): Share {
    const now = this.clock();
    const endsAt = now - (now % this.#windowMs) + this.#windowMs;
    const known = this.#shares.get(key);
    if (known?.endsAt === endsAt) return known;
    const share = known ? known.inWindow(endsAt) : new Share(key, endsAt, this.quota.requests);
    this.#shares.set(key, share);
    return share;
  }

  /** Those that come while another exchange is in progress go together into the next one. */
  #lease(share: Share): Promise<void> {
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
/** How often a process looks at what it has before it asks again how much is left for all. */
const mostLooks = 4;
/** How much of a quota may lie idle in the hands of all together. */
const mostIdle = 0.05;

function storeIsLate(): Error {
  return new Error("The store did not respond in time.");
}

/** What one process has of a key's quota in one window. */
class Share {
  used = 0;
  waiting = 0;
  /** Requests since the last look, also those that were refused. */
  demand = 0;
  /** Whether the store could not be asked: then what was left is divided evenly, as far as is known. */
  isAlone = false;
  #leased = 0;
  /** What was used without a lease, to be made up for. */
  #debt = 0;
  #leftForAll: number;
  #sharers = 1;
  #expected = 0;
  #isUsedUp = false;
  #isKnown = false;
  #isRetired = false;
  /** For so long, the others may not have paid yet what they used while they were alone, so that nothing is leased ahead. */
  #cautiousLooks = 0;
  /** Since the store was asked. */
  #looks = 0;
  #ahead: Share | undefined;

  constructor(
    readonly key: number,
    readonly endsAt: number,
    readonly limit: number,
  ) {
    this.#leftForAll = limit;
  }

  /** Whether the store need not be asked for the next request. */
  get canDecide(): boolean {
    return this.#leased > 0 || this.#isUsedUp || this.isAlone;
  }

  get isIndebted(): boolean {
    return this.#debt > 0;
  }

  /** How many requests all processes together may still make, as far as is known. */
  get left(): number {
    return this.#leased + (this.isAlone ? this.#ownPart - this.#debt : this.#leftForAll);
  }

  /** Whether there is something to take or to give back, or it matters how much is left for all. */
  get mustAsk(): boolean {
    const isMissed = (this.#isUsedUp || this.isAlone) && this.#expected > 0;
    const liesIdle = this.#leased > 0 && this.#looks >= mostLooks;
    return this.#need !== 0 || this.#debt > 0 || isMissed || liesIdle;
  }

  /** How many more this process wants to have; below 0, how many it can do without. */
  get #need(): number {
    if (this.#isRetired) return -this.#leased;
    const expected = this.#canLieIdle && this.#cautiousLooks === 0 ? Math.max(this.#expected, this.demand) : 0;
    const more = Math.min(expected - this.#leased, Math.max(1, Math.ceil(this.#leftForAll / (2 * this.#sharers))));
    if (this.waiting > 0 || more > 0) return Math.max(this.waiting, more);
    return Math.min(0, Math.max(expected, this.#reserve) - this.#leased);
  }

  /** Takes one. Returns whether there was one. */
  take(): boolean {
    if (this.#leased > 0) this.#leased--;
    else if (this.isAlone && this.#debt < this.#ownPart) this.#debt++;
    else return false;
    this.used++;
    return true;
  }

  look(): void {
    this.#expected = Math.max(this.demand, Math.floor(this.#expected / 2));
    this.demand = 0;
    this.#cautiousLooks = Math.max(0, this.#cautiousLooks - 1);
    this.#looks++;
  }

  /** From now on, everything can be given back. */
  retire(): void {
    this.#isRetired = true;
  }

  /**
   * What is given back can be used no more from then on. Who has a debt asks for nothing else: the others have one as well, and
   * until they have told, more seems to be left than there is.
   */
  request(): LeaseRequest {
    const paid = Math.min(this.#debt, this.#leased);
    this.#debt -= paid;
    this.#leased -= paid;
    const need = this.isIndebted ? 0 : this.#need;
    if (need < 0) this.#leased += need;
    const take = need + this.#debt;
    const isFirst = !this.#isKnown;
    this.#isKnown = true;
    return { key: this.key, endsAt: this.endsAt, take, isFirst };
  }

  settle(request: LeaseRequest | undefined, lease: Lease | undefined): void {
    if (!request || !lease) return;
    const { take } = request;
    const paid = Math.min(this.#debt, lease.granted);
    this.#debt -= paid;
    if (take > 0) this.#leased += lease.granted - paid;
    this.#leftForAll = Math.max(0, this.limit - lease.taken);
    this.#sharers = Math.max(1, lease.sharers);
    this.#isUsedUp = this.#leftForAll === 0;
    // The first may come at once.
    if (this.isAlone) this.#cautiousLooks = 2;
    this.isAlone = false;
    this.#looks = 0;
  }

  /** The same in the next window, where a little is leased before it begins. */
  ahead(windowMs: number): Share {
    this.#ahead ??= this.#successor(this.endsAt + windowMs);
    this.#ahead.#expected = this.#ahead.#reserve;
    return this.#ahead;
  }

  inWindow(endsAt: number): Share {
    return this.#ahead?.endsAt === endsAt ? this.#ahead : this.#successor(endsAt);
  }

  #successor(endsAt: number): Share {
    const successor = new Share(this.key, endsAt, this.limit);
    successor.#sharers = this.#sharers;
    return successor;
  }

  /** Of a small quota, one that is leased and not used would be missed: each request asks for its own. */
  get #canLieIdle(): boolean {
    return this.limit * mostIdle >= 1;
  }

  get #ownPart(): number {
    return Math.ceil(this.#leftForAll / this.#sharers);
  }

  /** What may be kept in reserve, so that the next request need not wait. */
  get #reserve(): number {
    return this.#leftForAll === 0 ? 0 : Math.floor((this.limit * mostIdle) / this.#sharers);
  }
}
