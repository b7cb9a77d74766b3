import { expect, test } from "bun:test";
import { parseRows } from "./csv-file.ts";
import { groupIdsByName, guessMapping, hasHeader, planImport, toSheet } from "./plan.ts";

const knownCategoryIds = groupIdsByName([
  { id: 1, name: "Dogs" },
  { id: 2, name: "Félins" },
  { id: 20, name: "Twins" },
  { id: 21, name: "twins" },
]);

const createPlan = (text: string, shouldCreateCategories = true) => {
  const rows = parseRows(text);
  const sheet = toSheet(rows, hasHeader(rows));
  return planImport(sheet, guessMapping(sheet, hasHeader(rows)), knownCategoryIds, shouldCreateCategories);
};

test("columns of an imported list are guessed by title, or by position if the list has no header", () => {
  const titledSheet = toSheet(parseRows("id,Name,category,Category ID,State\n"), true);
  expect(guessMapping(titledSheet, true)).toEqual({ name: 1, categoryId: 3, status: 4 });
  const rows = parseRows("Rex,7\nMia,8\n");
  expect(hasHeader(rows)).toBe(false);
  expect(guessMapping(toSheet(rows, false), false)).toEqual({ name: 0, categoryId: 1, status: undefined });
  expect(createPlan("Rex,7\nMia,8\n").animals).toHaveLength(2);
});

test("an import finds categories by exact number or by name, and lists each new category once", () => {
  const { animals, rejects, newCategories } = createPlan(
    "name,category,status\n Rex ,9223372036854775807,SOLD\nMia,felins,\nIgor,Dragons,pending\nZora,dragons,\n",
  );
  expect(animals.map(({ values: { name, status }, category }) => [name, category, status])).toEqual([
    [" Rex ", 9223372036854775807n, "sold"],
    ["Mia", 2, "available"],
    ["Igor", { folded: "dragons" }, "pending"],
    ["Zora", { folded: "dragons" }, "available"],
  ]);
  expect([rejects, newCategories]).toEqual([[], ["Dragons"]]);
});

test("an import rejects each invalid row with all reasons", () => {
  const { animals, rejects } = createPlan(
    'name,category,status\n,1,lost\nRex,9.22E+18,\nMia,twins,\nMax,9223372036854775808,\nZoe\nKim,,\n"Al\u0007",1,\n',
  );
  expect(animals).toEqual([]);
  expect(rejects.map(({ row, reason }) => [row.line, reason])).toEqual([
    [2, "Name: Enter a name. Status: Use available, pending, sold, or leave it empty."],
    [3, "Category: Enter a whole number, such as 7."],
    [4, "Category: Several categories have this name. Use the number of the one you mean."],
    [5, "Category: Enter a number from -9223372036854775808 to 9223372036854775807."],
    [6, "This line has 1 field, but the first line has 3 columns."],
    [7, "Category: Choose a category, or enter a number."],
    [8, "Name: Remove the control characters."],
  ]);
  expect(createPlan("name,category\nIgor,Dragons\n", false).rejects[0]?.reason).toBe(
    "Category: No category has this name. Choose one, create it, or enter a number.",
  );
});
