import { expect, test } from "bun:test";
import { categoryIn, findCategoryComplaint, matchingCategories } from "./category-text.ts";

const all = [
  { id: 1, name: "Dogs" },
  { id: 2, name: "Guinea pigs" },
  { id: 12, name: "Félins" },
  { id: 20, name: "Twins" },
  { id: 21, name: "twins" },
];

test("a text stands for a category by its number, or by a name that only one has", () => {
  expect(categoryIn(" 007 ", all)).toBe(7);
  expect(categoryIn("9223372036854775807", all)).toBe(2n ** 63n - 1n);
  expect(categoryIn(" dogs", all)).toBe(1);
  expect(categoryIn("felins", all)).toBe(12);
  expect(categoryIn("dog", all)).toBeUndefined();
  expect(categoryIn("Twins", all)).toBeUndefined();
  expect(categoryIn("कि", [{ id: 3, name: "का" }])).toBeUndefined();
  expect(categoryIn("STRASSE", [{ id: 3, name: "Straße" }])).toBe(3);
});

test("those are offered whose name or number begins so", () => {
  const offered = (text: string) => matchingCategories(all, text).map(({ id }) => id);
  expect(offered("")).toEqual([1, 2, 12, 20, 21]);
  expect(offered("PI")).toEqual([2]);
  expect(offered("fé")).toEqual([12]);
  expect(offered("2")).toEqual([2, 20, 21]);
  expect(offered("x")).toEqual([]);
});

test("what stands for none is explained", () => {
  expect(findCategoryComplaint("7")).toBeUndefined();
  expect(findCategoryComplaint(" ")).toBe("Choose a category, or enter a number.");
  expect(findCategoryComplaint("9223372036854775808")).toStartWith("Enter a number from");
  expect(findCategoryComplaint("dog")).toStartWith("No category has this name.");
});
