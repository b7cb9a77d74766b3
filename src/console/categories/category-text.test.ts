import { expect, test } from "bun:test";
import { filterCategories, findCategoryComplaint, parseCategory } from "./category-text.ts";

const all = [
  { id: 1, name: "Dogs" },
  { id: 2, name: "Guinea pigs" },
  { id: 12, name: "Félins" },
  { id: 20, name: "Twins" },
  { id: 21, name: "twins" },
];

test("a category is found by its number, or by its name if no other category has the same name", () => {
  expect(parseCategory(" 007 ", all)).toBe(7);
  expect(parseCategory("9223372036854775807", all)).toBe(2n ** 63n - 1n);
  expect(parseCategory(" dogs", all)).toBe(1);
  expect(parseCategory("felins", all)).toBe(12);
  expect(parseCategory("dog", all)).toBeUndefined();
  expect(parseCategory("Twins", all)).toBeUndefined();
  expect(parseCategory("कि", [{ id: 3, name: "का" }])).toBeUndefined();
  expect(parseCategory("STRASSE", [{ id: 3, name: "Straße" }])).toBe(3);
});

test("a category matches if its number, or a word of its name, starts with the typed text", () => {
  const match = (text: string) => filterCategories(all, text).map(({ id }) => id);
  expect(match("")).toEqual([1, 2, 12, 20, 21]);
  expect(match("PI")).toEqual([2]);
  expect(match("fé")).toEqual([12]);
  expect(match("2")).toEqual([2, 20, 21]);
  expect(match("x")).toEqual([]);
});

test("text that identifies no category gets a complaint that says what to enter", () => {
  expect(findCategoryComplaint("7")).toBeUndefined();
  expect(findCategoryComplaint(" ")).toBe("Choose a category, or enter a number.");
  expect(findCategoryComplaint("9223372036854775808")).toStartWith("Enter a number from");
  expect(findCategoryComplaint("dog")).toStartWith("No category has this name.");
});
