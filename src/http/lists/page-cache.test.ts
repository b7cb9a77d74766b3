import { describe, expect, test } from "bun:test";
import type { DataVersion } from "../../store/store.ts";
import { PageCache } from "./page-cache.ts";

describe("the page cache", () => {
  let moment: DataVersion = { commits: 1, rewrites: 1 };
  /** Whether the page came from memory. */
  const ask = (cache: PageCache, target: string, outlivesAdditions = true) => {
    let isRead = false;
    cache.read(target, () => {
      isRead = true;
      return { status: 200, headers: { ETag: '"x"' }, body: "[]".padEnd(60), outlivesAdditions };
    });
    return !isRead;
  };
  const open = (maxBytes?: number) => new PageCache({ currentVersion: () => moment }, maxBytes);

  test("keeps a page from the second time on that it is asked for", () => {
    const cache = open();
    expect([1, 2, 3, 4].map(() => ask(cache, "/v1/pets"))).toEqual([false, false, true, true]);
  });

  test("lets animals be added after a page, but not after the last, and nothing else happen", () => {
    const cache = open();
    for (let turn = 0; turn < 3; turn++) {
      ask(cache, "/v1/pets?limit=1");
      ask(cache, "/v1/pets?limit=2", false);
    }
    moment = { commits: 2, rewrites: 1 };
    expect(ask(cache, "/v1/pets?limit=1")).toBe(true);
    expect(ask(cache, "/v1/pets?limit=2", false)).toBe(false);
    expect(ask(cache, "/v1/pets?limit=2", false)).toBe(true);
    moment = { commits: 3, rewrites: 2 };
    expect(ask(cache, "/v1/pets?limit=1")).toBe(false);
    expect(ask(cache, "/v1/pets?limit=2", false)).toBe(false);
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

  test("keeps nothing where it cannot be told whether it is fresh", () => {
    const cache = new PageCache(undefined);
    expect([1, 2, 3].map(() => ask(cache, "/v1/pets"))).toEqual([false, false, false]);
  });
});
