import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { type IdempotencyRecord, tooManyIdempotencyKeys } from "../domain/idempotency.ts";
import { familyIdOf, recordLifetimeMs } from "./stored-outcome.ts";

/** Maximum number of claims that are kept, each for 24 hours. */
export interface IdempotencyLimits {
  readonly perFamily: number;
  readonly total: number;
}

export function idempotencyLimits(ofLine: number): IdempotencyLimits {
  return { perFamily: ofLine, total: 10 * ofLine };
}

export const defaultIdempotencyLimits = idempotencyLimits(100_000);

/** Counts the claims of a key family, or all claims if none is given, that were made after a time. */
export interface RecordCounter {
  count(line: number | undefined, after: number, limit: number): Awaitable<number>;
  /** Returns when the oldest record but so many was made. */
  findOldest(line: number | undefined, after: number, but: number): Awaitable<number | undefined>;
}

/**
 * Keeps claims within their limits, though it does not count them for each: from one count on, a process knows how many more
 * it may keep before it has to count again and, once there is no room, for how long there is none.
 */
export class IdempotencyQuota {
  readonly #lines = new Map<number, FamilyQuota>();
  readonly #all: FamilyQuota;

  /** `sharers` is how many processes can be at it at once without overstepping a limit. */
  constructor(
    readonly limits: IdempotencyLimits,
    readonly sharers: number,
  ) {
    this.#all = new FamilyQuota(undefined, limits.total, sharers);
  }

  /** Takes a place for a record that is about to be kept. Throws TooManyRequests. */
  reserve(record: Pick<IdempotencyRecord, "family" | "at">, counter: RecordCounter): Awaitable<void> {
    const { at } = record;
    return mapAwaitable(this.#lineOf(record).take(at, counter), (roomAt) => {
      if (roomAt !== undefined) throw tooManyIdempotencyKeys(roomAt - at, this.limits.perFamily);
      return mapAwaitable(this.#all.take(at, counter), (roomInAllAt) => {
        if (roomInAllAt !== undefined) throw tooManyIdempotencyKeys(roomInAllAt - at);
      });
    });
  }

  #lineOf(record: Pick<IdempotencyRecord, "family">): FamilyQuota {
    const id = familyIdOf(record);
    const known = this.#lines.get(id);
    if (known) return known;
    if (this.#lines.size >= maxLines) this.#lines.clear();
    const line = new FamilyQuota(id, this.limits.perFamily, this.sharers);
    this.#lines.set(id, line);
    return line;
  }
}

const maxLines = 10_000;

class FamilyQuota {
  /** Number of places that can certainly be taken. */
  #free = 0;
  #fullUntil = 0;
  #measuring: Promise<void> | undefined;

  constructor(
    readonly line: number | undefined,
    readonly limit: number,
    readonly sharers: number,
  ) {}

  /** Takes a place, or returns the time at which there will be one. */
  take(at: number, counter: RecordCounter): Awaitable<number | undefined> {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    // A clock that was set back keeps nobody out for longer than a record is kept.
    if (at < this.#fullUntil && this.#fullUntil <= at + recordLifetimeMs) return this.#fullUntil;
    return mapAwaitable(this.#measuring ?? this.#measure(at, counter), () => this.take(at, counter));
  }

  #measure(at: number, counter: RecordCounter): Awaitable<void> {
    const measured = mapAwaitable(counter.count(this.line, at - recordLifetimeMs, this.limit), (count) => {
      const rest = this.limit - count;
      this.#free = Math.min(rest, Math.max(Math.ceil(rest / this.sharers), Math.ceil(this.limit / 1000)));
      return rest > 0 ? undefined : this.#measureWait(at, counter);
    });
    if (!(measured instanceof Promise)) return;
    this.#measuring = measured.finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  /** Until some places are free and not only one, so that a full line does not have to be counted for each request. */
  #measureWait(at: number, counter: RecordCounter): Awaitable<void> {
    const but = Math.max(0, Math.floor(this.limit / 100) - 1);
    return mapAwaitable(counter.findOldest(this.line, at - recordLifetimeMs, but), (madeAt) => {
      // Some may have been made after `at`: by others meanwhile, or before the clock was set back.
      this.#fullUntil = Math.min(madeAt ?? at, at) + recordLifetimeMs;
    });
  }
}
