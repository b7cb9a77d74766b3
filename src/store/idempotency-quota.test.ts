import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TemporaryError } from "../domain/errors.ts";
import { IdempotencyQuota, type RecordCounter } from "./idempotency-quota.ts";
import { recordLifetimeMs } from "./stored-outcome.ts";

/** Records in memory. */
class Kept implements RecordCounter {
  readonly claims: { readonly line: number; readonly at: number }[] = [];
  counts = 0;
  maxCounts = Number.POSITIVE_INFINITY;

  count(line: number | undefined, after: number, limit: number): number {
    if (++this.counts > this.maxCounts) throw new Error("It is counted again and again.");
    return Math.min(limit, this.#of(line, after).length);
  }

  findOldest(line: number | undefined, after: number, but: number): number | undefined {
    return this.#of(line, after).sort((one, other) => one - other)[but];
  }

  #of(line: number | undefined, after: number): number[] {
    return this.claims
      .filter((record) => record.at > after && (line ?? record.line) === record.line)
      .map(({ at }) => at);
  }
}

/** Adds a record, or returns the seconds to wait until the quota allows it. */
function make(room: IdempotencyQuota, kept: Kept, line: number, at: number): number | undefined {
  try {
    room.reserve({ family: line, at }, kept);
    kept.claims.push({ line, at });
    return undefined;
  } catch (error) {
    if (error instanceof TemporaryError) return error.retryAfterSeconds;
    throw error;
  }
}

describe("the quota of idempotency records", () => {
  test("the quota can be used up to its limits and never beyond, whatever time passes", () => {
    const step = fc.record({
      line: fc.integer({ min: 0, max: 3 }),
      wait: fc.constantFrom(0, 0, 0, 1, recordLifetimeMs / 4, recordLifetimeMs - 1, recordLifetimeMs),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(step, { minLength: 10, maxLength: 60 }),
        (ofLine, inAll, steps) => {
          const room = new IdempotencyQuota({ perFamily: ofLine, total: inAll }, 1);
          const kept = new Kept();
          let at = 1000;
          for (const { line, wait } of steps) {
            at += wait;
            const [mine, all] = [line, undefined].map((of) => kept.count(of, at - recordLifetimeMs, 100)) as [
              number,
              number,
            ];
            const isRefused = make(room, kept, line, at) !== undefined;
            expect(isRefused).toBe(mine >= ofLine || all >= inAll);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("the quota has room after the announced wait", () => {
    for (const ofLine of [1, 7, 250, 1000]) {
      const room = new IdempotencyQuota({ perFamily: ofLine, total: 10 * ofLine }, 1);
      const kept = new Kept();
      for (let made = 0; made < ofLine; made++) expect(make(room, kept, 1, 1000 + made)).toBeUndefined();
      const wait = make(room, kept, 1, 100_000) ?? Number.NaN;
      expect(make(room, kept, 1, 100_000 + (wait - 1) * 1000)).toBeDefined();
      expect(make(room, kept, 1, 100_000 + wait * 1000)).toBeUndefined();
    }
  });

  test("records are not counted for each request, neither below the limit nor beyond it", () => {
    const ofLine = 10_000;
    const room = new IdempotencyQuota({ perFamily: ofLine, total: 10 * ofLine }, 4);
    const kept = new Kept();
    for (let made = 0; made < ofLine; made++) expect(make(room, kept, 1, 1000 + made)).toBeUndefined();
    const onTheWay = kept.counts;
    expect(onTheWay).toBeLessThan(100);
    for (let asked = 0; asked < 10_000; asked++) expect(make(room, kept, 1, 20_000 + asked)).toBeDefined();
    expect(kept.counts).toBeLessThan(onTheWay + 5);
  });

  test("a clock that is set back does not close the quota for longer", () => {
    const room = new IdempotencyQuota({ perFamily: 1, total: 10 }, 1);
    const kept = new Kept();
    const at = 10 * recordLifetimeMs;
    make(room, kept, 1, at);
    expect(make(room, kept, 1, at)).toBe(recordLifetimeMs / 1000);
    kept.claims.length = 0;
    expect(make(room, kept, 1, at - 1000)).toBeUndefined();
  });

  test("the quota counts records that are newer than the request", async () => {
    const kept = new Kept();
    kept.maxCounts = 10;
    for (let made = 0; made < 5; made++) kept.claims.push({ line: 1, at: 5000 + made });
    const limits = { perFamily: 5, total: 50 };
    const wait = recordLifetimeMs / 1000;
    expect(make(new IdempotencyQuota(limits, 1), kept, 1, 1000)).toBe(wait);
    expect(kept.counts).toBe(1);

    const counter: RecordCounter = {
      count: async (...args) => kept.count(...args),
      findOldest: async (...args) => kept.findOldest(...args),
    };
    const room = new IdempotencyQuota(limits, 1);
    const at = [1000, 3000, 2000];
    const errors = await Promise.all(
      at.map(async (at) => await Promise.try(() => room.reserve({ family: 1, at }, counter)).catch((error) => error)),
    );
    expect(errors.map((error) => error.retryAfterSeconds)).toEqual([wait, wait - 2, wait - 1]);
  });

  test("concurrent requests share one count, which is repeated after a failure", async () => {
    const room = new IdempotencyQuota({ perFamily: 1000, total: 10_000 }, 4);
    let counts = 0;
    const counter = {
      async count() {
        if (counts++ === 0) throw new Error("The server is gone.");
        return 0;
      },
      findOldest: async () => undefined,
    };
    const takeMany = () =>
      Promise.allSettled(Array.from({ length: 50 }, async () => room.reserve({ family: 1, at: 1000 }, counter)));
    for (const { status } of await takeMany()) expect(status).toBe("rejected");
    for (const { status } of await takeMany()) expect(status).toBe("fulfilled");
    // One failed count, one of the family and one of the total.
    expect(counts).toBe(3);
  });
});
