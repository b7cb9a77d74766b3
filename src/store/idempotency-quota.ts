import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { type IdempotencyRecord, tooManyIdempotencyKeys } from "../domain/idempotency.ts";
import { familyIdOf, recordLifetimeMs } from "./stored-outcome.ts";

/** Maximum numbers of idempotency records, each of which is stored for 24 hours. */
export interface IdempotencyLimits {
  readonly perFamily: number;
  readonly total: number;
}

export function idempotencyLimits(perFamily: number): IdempotencyLimits {
  return { perFamily, total: 10 * perFamily };
}

export const defaultIdempotencyLimits = idempotencyLimits(100_000);

/** Access to the records created after a given time. Without `family`, covers all key families. */
export interface RecordCounter {
  count(family: number | undefined, after: number, limit: number): Awaitable<number>;
  /** Returns the creation time of the oldest record, not counting the `skipped` oldest ones. */
  findOldest(family: number | undefined, after: number, skipped: number): Awaitable<number | undefined>;
}

/** Limits idempotency records. Counting once determines how many more records are accepted, or until when none are. */
export class IdempotencyQuota {
  readonly #families = new Map<number, Quota>();
  readonly #total: Quota;

  /** Up to `processCount` processes can add records at the same time without exceeding a limit together. */
  constructor(
    readonly limits: IdempotencyLimits,
    readonly processCount: number,
  ) {
    this.#total = new Quota(undefined, limits.total, processCount);
  }

  reserve(record: Pick<IdempotencyRecord, "family" | "at">, counter: RecordCounter): Awaitable<void> {
    const { at } = record;
    return mapAwaitable(this.#familyQuota(record).reserve(at, counter), (familyFullUntil) => {
      if (familyFullUntil !== undefined) throw tooManyIdempotencyKeys(familyFullUntil - at, this.limits.perFamily);
      return mapAwaitable(this.#total.reserve(at, counter), (fullUntil) => {
        if (fullUntil !== undefined) throw tooManyIdempotencyKeys(fullUntil - at);
      });
    });
  }

  #familyQuota(record: Pick<IdempotencyRecord, "family">): Quota {
    const id = familyIdOf(record);
    const existing = this.#families.get(id);
    if (existing) return existing;
    if (this.#families.size >= maxFamilies) this.#families.clear();
    const quota = new Quota(id, this.limits.perFamily, this.processCount);
    this.#families.set(id, quota);
    return quota;
  }
}

const maxFamilies = 10_000;

class Quota {
  #freeCount = 0;
  #fullUntil = 0;
  #counting: Promise<void> | undefined;

  constructor(
    readonly family: number | undefined,
    readonly limit: number,
    readonly processCount: number,
  ) {}

  /** Reserves room for a record, or returns the time until which the quota is used up. */
  reserve(at: number, counter: RecordCounter): Awaitable<number | undefined> {
    if (this.#freeCount > 0) {
      this.#freeCount--;
      return undefined;
    }
    // After the clock was set back, `#fullUntil` may be too late.
    if (at < this.#fullUntil && this.#fullUntil <= at + recordLifetimeMs) return this.#fullUntil;
    return mapAwaitable(this.#counting ?? this.#count(at, counter), () => this.reserve(at, counter));
  }

  #count(at: number, counter: RecordCounter): Awaitable<void> {
    const counted = mapAwaitable(counter.count(this.family, at - recordLifetimeMs, this.limit), (count) => {
      const left = this.limit - count;
      this.#freeCount = Math.min(left, Math.max(Math.ceil(left / this.processCount), Math.ceil(this.limit / 1000)));
      return left > 0 ? undefined : this.#setFullUntil(at, counter);
    });
    if (!(counted instanceof Promise)) return;
    this.#counting = counted.finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  /** Sets `#fullUntil` to when 1 % of the records will have expired: waiting for a single record would cause a count per request. */
  #setFullUntil(at: number, counter: RecordCounter): Awaitable<void> {
    const skipped = Math.max(0, Math.floor(this.limit / 100) - 1);
    return mapAwaitable(counter.findOldest(this.family, at - recordLifetimeMs, skipped), (oldestAt) => {
      // The record may be newer than `at`: another process has added it meanwhile, or the clock was set back.
      this.#fullUntil = Math.min(oldestAt ?? at, at) + recordLifetimeMs;
    });
  }
}
