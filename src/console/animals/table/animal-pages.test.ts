import { describe, expect, test } from "bun:test";
import { advance, type KnownPage, maxPages, startsOf } from "./animal-pages.ts";

const page = (count: number, next?: string) => ({ items: Array.from({ length: count }), next });

describe("what is known of pages", () => {
  test("grows by the one behind, page by page, until there is none", () => {
    let pages: readonly KnownPage[] = [{ cursor: undefined }];
    pages = advance(pages, 0, page(100, "b"));
    pages = advance(pages, 1, page(100, "c"));
    expect(pages.map(({ cursor }) => cursor)).toEqual([undefined, "b", "c"]);
    pages = advance(pages, 2, page(7));
    expect(pages.at(-1)).toEqual({ cursor: "c", length: 7, next: null });
    expect(startsOf(pages)).toEqual([0, 100, 200, 207]);
  });

  test("stays the same value when a page is read again and nothing is different", () => {
    const pages = advance(advance([{ cursor: undefined }], 0, page(100, "b")), 1, page(3));
    expect(advance(pages, 0, page(100, "b"))).toBe(pages);
    expect(advance(pages, 1, page(3))).toBe(pages);
  });

  test("forgets those behind a page that now ends elsewhere, and keeps those behind one that is only shorter", () => {
    const pages = [
      { cursor: undefined, length: 100, next: "b" },
      { cursor: "b", length: 100, next: "c" },
      { cursor: "c" },
    ];
    expect(advance(pages, 0, page(100, "b2")).map(({ cursor }) => cursor)).toEqual([undefined, "b2"]);
    expect(startsOf(advance(pages, 0, page(60, "b")))).toEqual([0, 60, 160, 260]);
    expect(advance(pages, 0, page(60))).toHaveLength(1);
  });

  test("ends at so many rows that an element cannot be higher", () => {
    let pages: readonly KnownPage[] = [{ cursor: undefined }];
    for (let index = 0; index < maxPages + 3; index++) pages = advance(pages, index, page(100, `c${index}`));
    expect(pages).toHaveLength(maxPages);
    expect(pages.at(-1)?.next).toBe(`c${maxPages - 1}`);
  });
});
