import { expect, test } from "bun:test";
import { until } from "../../test/support/wait.ts";
import type { Lease, LeaseRequest } from "../store/store.ts";
import { QuotaShare } from "./quota-share.ts";
import { SharedRateLimit } from "./shared-rate-limit.ts";

/** Keeps accounts as the database does, which may forget them or not answer. */
class Accounts {
  isDown = false;
  asked = 0;
  readonly #rows = new Map<string, { taken: number; sharers: number }>();

  readonly lease = async (requests: readonly LeaseRequest[], limit: number): Promise<Lease[]> => {
    this.asked++;
    if (this.isDown) throw new Error("down");
    return requests.map(({ key, endsAt, take, isFirst }) => {
      const row = this.#rows.get(`${endsAt} ${key}`) ?? { taken: 0, sharers: 0 };
      const granted = Math.max(-row.taken, Math.min(take, Math.max(0, limit - row.taken)));
      row.taken += granted;
      row.sharers += isFirst ? 1 : 0;
      this.#rows.set(`${endsAt} ${key}`, row);
      return { taken: row.taken, granted: Math.max(0, granted), sharers: row.sharers };
    });
  };

  forget(): void {
    this.#rows.clear();
  }
}

const caller = { key: 1 } as Parameters<SharedRateLimit["count"]>[0];

async function startThree(requests: number) {
  const accounts = new Accounts();
  const limits = Array.from({ length: 3 }, () => new SharedRateLimit({ requests, seconds: 1 }, accounts, () => 0));
  /** How many of so many requests are let through, by each in turn. */
  const count = async (times: number) => {
    let passed = 0;
    for (let turn = 0; turn < times; turn++) {
      const { isRefused } = await (limits[turn % 3] ?? expect.unreachable()).count(caller);
      if (!isRefused) passed++;
    }
    return passed;
  };
  return {
    accounts,
    count,
    async [Symbol.asyncDispose]() {
      for (const limit of limits) await limit.close();
    },
  };
}

test("a quota that was used up stays so when the database forgets, as it does in a crash", async () => {
  await using three = await startThree(300);
  expect(await three.count(400)).toBe(300);
  three.accounts.forget();
  // Those that refuse look now and then whether anything was given back.
  const before = three.accounts.asked;
  await until(() => three.accounts.asked >= before + 3);
  expect(await three.count(1_000)).toBe(0);
});

test("what was used before the database forgot is not to be had again", async () => {
  await using three = await startThree(300);
  expect(await three.count(60)).toBe(60);
  three.accounts.forget();
  expect(await three.count(1_000)).toBeWithin(220, 241);
});

test("whoever goes on without the database after it forgot knows how many share the quota", async () => {
  await using three = await startThree(300);
  expect(await three.count(30)).toBe(30);
  three.accounts.forget();
  expect(await three.count(30)).toBe(30);
  three.accounts.isDown = true;
  expect(await three.count(1_000)).toBeWithin(200, 260);
});

test("what a process was granted before is owed again, and it is counted again among those that share", () => {
  const share = new QuotaShare(1, 1_000, 100);
  const exchange = (taken: number, granted: number, sharers: number) => {
    share.waiting = 1;
    const request = share.request();
    share.settle(request, { taken, granted, sharers });
    share.waiting = 0;
    return request;
  };
  expect(exchange(1, 1, 1)).toMatchObject({ take: 1, isFirst: true });
  expect(share.take()).toBe(true);
  expect(exchange(52, 1, 2)).toMatchObject({ take: 1, isFirst: false });
  expect(share.take()).toBe(true);
  exchange(1, 1, 0);
  expect(share.isIndebted).toBe(true);
  expect(exchange(2, 1, 1)).toMatchObject({ take: 1, isFirst: true });
  expect(share.isIndebted).toBe(false);
  expect(exchange(3, 1, 1)).toMatchObject({ take: 1, isFirst: false });
  expect(share.left).toBe(1 + 48 - 1);
});
