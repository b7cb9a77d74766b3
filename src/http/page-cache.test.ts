import { describe, expect, test } from "bun:test";
import { listPets } from "../operations/pets/list-pets.ts";
import type { Moment } from "../store/store.ts";
import { Addresses } from "./addresses.ts";
import { Exchange } from "./exchange.ts";
import { PageCache } from "./page-cache.ts";
import { represent } from "./representation.ts";

const addresses = new Addresses("/v1", Date.now);

describe("the page cache", () => {
  let moment: Moment = { version: 1, epoch: 1 };
  const exchangeFor = (target: string) =>
    new Exchange(new Request(`http://shop.test${target}`), { peer: () => "", isOneTooMany: () => false });
  const page = (next?: number) => ({ items: [{ id: 1, name: "Rex", categoryId: 1, status: "available" }], next });
  const ask = (cache: PageCache, target: string, result: object = page(1)) => {
    const exchange = exchangeFor(target);
    const found = cache.find(exchange);
    if (!found)
      cache.keep(exchange, listPets, represent(listPets, { query: {} }, result, addresses), result, cache.now());
    return found !== undefined;
  };
  const open = (mostBytes?: number) => new PageCache({ now: () => moment }, mostBytes);

  test("keeps a page from the second time on that it is asked for", () => {
    const cache = open();
    expect([1, 2, 3, 4].map(() => ask(cache, "/v1/pets"))).toEqual([false, false, true, true]);
  });

  test("lets animals be added behind a page, but not behind the last, and nothing else happen", () => {
    const cache = open();
    for (let turn = 0; turn < 3; turn++) {
      ask(cache, "/v1/pets?limit=1");
      ask(cache, "/v1/pets?limit=2", page());
    }
    moment = { version: 2, epoch: 1 };
    expect(ask(cache, "/v1/pets?limit=1")).toBe(true);
    expect(ask(cache, "/v1/pets?limit=2", page())).toBe(false);
    expect(ask(cache, "/v1/pets?limit=2", page())).toBe(true);
    moment = { version: 3, epoch: 2 };
    expect(ask(cache, "/v1/pets?limit=1")).toBe(false);
    expect(ask(cache, "/v1/pets?limit=2", page())).toBe(false);
  });

  test("never holds more bytes than it may", () => {
    const cache = open(100_000);
    let kept = 0;
    for (let index = 0; index < 2_000; index++) {
      for (let turn = 0; turn < 3; turn++) if (ask(cache, `/v1/pets?limit=${index}`)) kept++;
      expect(cache.bytes).toBeLessThan(105_000);
    }
    expect(kept).toBe(2_000);
  });

  test("keeps nothing where it cannot be told whether it is true", () => {
    const cache = new PageCache(undefined);
    expect([1, 2, 3].map(() => ask(cache, "/v1/pets"))).toEqual([false, false, false]);
  });
});
