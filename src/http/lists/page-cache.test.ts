import { expect, test } from "bun:test";
import type { DataVersion } from "../../store/store.ts";
import { PageCache } from "./page-cache.ts";

let version: DataVersion = { commits: 1, rewrites: 1 };
const request = (cache: PageCache, target: string, outlivesAdditions = true) => {
  let isRead = false;
  cache.read(target, () => {
    isRead = true;
    return { status: 200, headers: { ETag: '"x"' }, body: "[]".padEnd(60), outlivesAdditions };
  });
  return !isRead;
};
const createCache = (maxBytes?: number) => new PageCache({ currentVersion: () => version }, maxBytes);

test("the page cache keeps a page from its second request on", () => {
  const cache = createCache();
  expect([1, 2, 3, 4].map(() => request(cache, "/v1/pets"))).toEqual([false, false, true, true]);
});

test("a cached page stays fresh when animals are added, except the last page; changing an animal makes every page stale", () => {
  const cache = createCache();
  for (let round = 0; round < 3; round++) {
    request(cache, "/v1/pets?limit=1");
    request(cache, "/v1/pets?limit=2", false);
  }
  version = { commits: 2, rewrites: 1 };
  expect(request(cache, "/v1/pets?limit=1")).toBe(true);
  expect(request(cache, "/v1/pets?limit=2", false)).toBe(false);
  expect(request(cache, "/v1/pets?limit=2", false)).toBe(true);
  version = { commits: 3, rewrites: 2 };
  expect(request(cache, "/v1/pets?limit=1")).toBe(false);
  expect(request(cache, "/v1/pets?limit=2", false)).toBe(false);
});

test("the page cache never exceeds its maximum size", () => {
  const cache = createCache(100_000);
  let hitCount = 0;
  for (let index = 0; index < 2_000; index++) {
    for (let round = 0; round < 3; round++) if (request(cache, `/v1/pets?limit=${index}`)) hitCount++;
    expect(cache.bytes).toBeLessThan(105_000);
  }
  expect(hitCount).toBe(2_000);
});

test("the page cache keeps nothing if the store cannot tell whether a page is fresh", () => {
  const cache = new PageCache(undefined);
  expect([1, 2, 3].map(() => request(cache, "/v1/pets"))).toEqual([false, false, false]);
});
