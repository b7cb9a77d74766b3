import type { Lease, LeaseRequest } from "../store/store.ts";

/** What one process has of a key's quota in one window. */
export class QuotaShare {
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
  /** How many had leased, as far as the store said: their number never falls while the store remembers. */
  #sharersSeen = 0;
  #fewestSharers = 1;
  /** How many this process may use in all, if the store has forgotten what the others had used. */
  #most = Number.POSITIVE_INFINITY;
  #expected = 0;
  #isUsedUp = false;
  #isKnown = false;
  #isRetired = false;
  /** For so long, the others may not have paid yet what they used while they were alone, so that nothing is leased ahead. */
  #cautiousLooks = 0;
  /** Since the store was asked. */
  #looks = 0;
  #ahead: QuotaShare | undefined;

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
    if (this.waiting > 0 || more > 0) return Math.min(Math.max(this.waiting, more), Math.max(1, this.#leftForAll));
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
    return { key: this.key, endsAt: this.endsAt, take, isFirst: !this.#isKnown };
  }

  settle(request: LeaseRequest | undefined, lease: Lease | undefined): void {
    if (!request || !lease) return;
    const { take } = request;
    const isForgotten = this.#isForgotten(lease);
    if (isForgotten) this.#startAnew();
    else this.#isKnown = true;
    this.#sharersSeen = lease.sharers;
    const paid = Math.min(this.#debt, lease.granted);
    this.#debt -= paid;
    if (take > 0) this.#leased += lease.granted - paid;
    this.#leftForAll = Math.max(0, Math.min(this.limit - lease.taken, this.#most - this.used - this.#leased));
    this.#sharers = Math.max(this.#fewestSharers, lease.sharers);
    this.#isUsedUp = this.#leftForAll === 0;
    // The first may come at once.
    if (this.isAlone || isForgotten) this.#cautiousLooks = 2;
    this.isAlone = false;
    this.#looks = 0;
  }

  /** Whether the store knows less than it did, as after a crash: less than this process alone has had, or of fewer processes. */
  #isForgotten({ taken, granted, sharers }: Lease): boolean {
    return taken < this.#charged + granted || sharers < this.#sharersSeen;
  }

  /** What this process has had is owed again, and of what was left for all, it takes no more than that. */
  #startAnew(): void {
    this.#most = Math.min(this.#most, this.used + this.#leased + this.#leftForAll);
    this.#fewestSharers = this.#sharers;
    this.#debt += this.#charged;
    this.#isKnown = false;
  }

  /** What the store was told of. */
  get #charged(): number {
    return this.used + this.#leased - this.#debt;
  }

  /** The same in the next window, where a little is leased before it begins. */
  ahead(windowMs: number): QuotaShare {
    this.#ahead ??= this.#successor(this.endsAt + windowMs);
    this.#ahead.#expected = this.#ahead.#reserve;
    return this.#ahead;
  }

  inWindow(endsAt: number): QuotaShare {
    return this.#ahead?.endsAt === endsAt ? this.#ahead : this.#successor(endsAt);
  }

  #successor(endsAt: number): QuotaShare {
    const successor = new QuotaShare(this.key, endsAt, this.limit);
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

/** How often a process looks at what it has before it asks again how much is left for all. */
const mostLooks = 4;
/** How much of a quota may lie idle in the hands of all together. */
const mostIdle = 0.05;
