import { expect, test } from "bun:test";
import fc from "fast-check";
import { TemporaryError } from "../domain/errors.ts";
import { IdempotencyQuota, type RecordCounter } from "./idempotency-quota.ts";
import { recordLifetimeMs } from "./stored-outcome.ts";

class StoredRecords implements RecordCounter {
  readonly records: { readonly family: number; readonly at: number }[] = [];
  countCalls = 0;
  maxCountCalls = Number.POSITIVE_INFINITY;

  count(family: number | undefined, after: number, limit: number): number {
    if (++this.countCalls > this.maxCountCalls) throw new Error("The records were counted too often.");
    return Math.min(limit, this.#timesOf(family, after).length);
  }

  findOldest(family: number | undefined, after: number, skipped: number): number | undefined {
    return this.#timesOf(family, after).sort((one, other) => one - other)[skipped];
  }

  #timesOf(family: number | undefined, after: number): number[] {
    return this.records
      .filter((record) => record.at > after && (family ?? record.family) === record.family)
      .map(({ at }) => at);
  }
}

function add(quota: IdempotencyQuota, stored: StoredRecords, family: number, at: number): number | undefined {
  try {
    quota.reserve({ family, at }, stored);
    stored.records.push({ family, at });
    return undefined;
  } catch (error) {
    if (error instanceof TemporaryError) return error.retryAfterSeconds;
    throw error;
  }
}

test("the quota accepts idempotency records up to its limits and never beyond, however much time passes", () => {
  const step = fc.record({
    family: fc.integer({ min: 0, max: 3 }),
    wait: fc.constantFrom(0, 0, 0, 1, recordLifetimeMs / 4, recordLifetimeMs - 1, recordLifetimeMs),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(step, { minLength: 10, maxLength: 60 }),
      (perFamily, total, steps) => {
        const quota = new IdempotencyQuota({ perFamily, total }, 1);
        const stored = new StoredRecords();
        let at = 1000;
        for (const { family, wait } of steps) {
          at += wait;
          const [own, all] = [family, undefined].map((one) => stored.count(one, at - recordLifetimeMs, 100)) as [
            number,
            number,
          ];
          const isRefused = add(quota, stored, family, at) !== undefined;
          expect(isRefused).toBe(own >= perFamily || all >= total);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("after the wait that a refusal announces, and not before, the quota has room for another idempotency record", () => {
  for (const perFamily of [1, 7, 250, 1000]) {
    const quota = new IdempotencyQuota({ perFamily, total: 10 * perFamily }, 1);
    const stored = new StoredRecords();
    for (let index = 0; index < perFamily; index++) expect(add(quota, stored, 1, 1000 + index)).toBeUndefined();
    const wait = add(quota, stored, 1, 100_000) ?? Number.NaN;
    expect(add(quota, stored, 1, 100_000 + (wait - 1) * 1000)).toBeDefined();
    expect(add(quota, stored, 1, 100_000 + wait * 1000)).toBeUndefined();
  }
});

test("few requests count the stored idempotency records, both below the limit and beyond it", () => {
  const perFamily = 10_000;
  const quota = new IdempotencyQuota({ perFamily, total: 10 * perFamily }, 4);
  const stored = new StoredRecords();
  for (let index = 0; index < perFamily; index++) expect(add(quota, stored, 1, 1000 + index)).toBeUndefined();
  const countCallsBelowLimit = stored.countCalls;
  expect(countCallsBelowLimit).toBeLessThan(100);
  for (let index = 0; index < 10_000; index++) expect(add(quota, stored, 1, 20_000 + index)).toBeDefined();
  expect(stored.countCalls).toBeLessThan(countCallsBelowLimit + 5);
});

test("setting the clock back does not extend the time for which the quota of idempotency records is used up", () => {
  const quota = new IdempotencyQuota({ perFamily: 1, total: 10 }, 1);
  const stored = new StoredRecords();
  const at = 10 * recordLifetimeMs;
  add(quota, stored, 1, at);
  expect(add(quota, stored, 1, at)).toBe(recordLifetimeMs / 1000);
  stored.records.length = 0;
  expect(add(quota, stored, 1, at - 1000)).toBeUndefined();
});

test("the quota counts idempotency records that are newer than the request", async () => {
  const stored = new StoredRecords();
  stored.maxCountCalls = 10;
  for (let index = 0; index < 5; index++) stored.records.push({ family: 1, at: 5000 + index });
  const limits = { perFamily: 5, total: 50 };
  const wait = recordLifetimeMs / 1000;
  expect(add(new IdempotencyQuota(limits, 1), stored, 1, 1000)).toBe(wait);
  expect(stored.countCalls).toBe(1);

  const counter: RecordCounter = {
    count: async (...args) => stored.count(...args),
    findOldest: async (...args) => stored.findOldest(...args),
  };
  const quota = new IdempotencyQuota(limits, 1);
  const at = [1000, 3000, 2000];
  const errors = await Promise.all(
    at.map(async (at) => await Promise.try(() => quota.reserve({ family: 1, at }, counter)).catch((error) => error)),
  );
  expect(errors.map((error) => error.retryAfterSeconds)).toEqual([wait, wait - 2, wait - 1]);
});

test("concurrent requests share one count of the idempotency records, and repeat the count after a failure", async () => {
  const quota = new IdempotencyQuota({ perFamily: 1000, total: 10_000 }, 4);
  let callCount = 0;
  const counter = {
    async count() {
      if (callCount++ === 0) throw new Error("The server is gone.");
      return 0;
    },
    findOldest: async () => undefined,
  };
  const reserveMany = () =>
    Promise.allSettled(Array.from({ length: 50 }, async () => quota.reserve({ family: 1, at: 1000 }, counter)));
  for (const { status } of await reserveMany()) expect(status).toBe("rejected");
  for (const { status } of await reserveMany()) expect(status).toBe("fulfilled");
  // One failed count, one count of the family's records, and one of all records.
  expect(callCount).toBe(3);
});
