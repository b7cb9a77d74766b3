import { expect, test } from "bun:test";
import { addLoadedPage, computePageStarts, type KnownPage, maxPages } from "./animal-pages.ts";

const load = (pages: readonly KnownPage[], index: number, count: number, next?: string) =>
  addLoadedPage(pages, { index, cursor: pages[index]?.cursor, page: { items: Array.from({ length: count }), next } });
const firstPage: readonly KnownPage[] = [{ cursor: undefined }];

test("loading a page of the animal table adds the next page, until the list ends", () => {
  let pages = load(firstPage, 0, 100, "b");
  pages = load(pages, 1, 100, "c");
  expect(pages.map(({ cursor }) => cursor)).toEqual([undefined, "b", "c"]);
  pages = load(pages, 2, 7);
  expect(pages.at(-1)).toEqual({ cursor: "c", length: 7, next: null });
  expect(computePageStarts(pages)).toEqual([0, 100, 200, 207]);
});

test("reloading an unchanged page of the animal table returns the same pages", () => {
  const pages = load(load(firstPage, 0, 100, "b"), 1, 3);
  expect(load(pages, 0, 100, "b")).toBe(pages);
  expect(load(pages, 1, 3)).toBe(pages);
});

test("reloading a table page keeps the later pages if the next cursor is the same, and drops the later pages otherwise", () => {
  const pages = [
    { cursor: undefined, length: 100, next: "b" },
    { cursor: "b", length: 100, next: "c" },
    { cursor: "c" },
  ];
  expect(load(pages, 0, 100, "b2").map(({ cursor }) => cursor)).toEqual([undefined, "b2"]);
  expect(computePageStarts(load(pages, 0, 60, "b"))).toEqual([0, 60, 160, 260]);
  expect(load(pages, 0, 60)).toHaveLength(1);
});

test("the animal table has at most as many pages as browsers can display in one element", () => {
  let pages = firstPage;
  for (let index = 0; index < maxPages + 3; index++) pages = load(pages, index, 100, `c${index}`);
  expect(pages).toHaveLength(maxPages);
  expect(pages.at(-1)?.next).toBe(`c${maxPages - 1}`);
});
