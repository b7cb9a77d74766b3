import { expect, test } from "bun:test";
import { groupsOf } from "./groups.ts";

test("every file is in one group, short ones of a folder and those of the browser together, and what starts more alone", () => {
  const files = [
    ...Array.from({ length: 7 }, (_, index) => `test/browser/view-${index}.test.ts`),
    ...Array.from({ length: 8 }, (_, index) => `test/http/short-${index}.test.ts`),
    "src/a.test.ts",
    "src/b/c.test.ts",
    "test/http/model.test.ts",
    "test/program/serve.test.ts",
  ];
  const groups = groupsOf(files, (file) =>
    file.includes("model") ? 'import fc from "fast-check";' : `text of ${file}`,
  );
  expect(groups.flatMap((group) => group.files).sort()).toEqual(files.toSorted());
  expect(groups.map(({ name }) => name)).toEqual([
    "test/http/model.test.ts",
    "test/program/serve.test.ts",
    "test/browser/view-0.test.ts and 5 more",
    "test/browser/view-6.test.ts",
    "test/http/short-0.test.ts and 5 more",
    "test/http/short-6.test.ts and 1 more",
    "src/a.test.ts and 1 more",
  ]);
  expect(groups.at(-1)?.source).toBe("text of src/a.test.ts\ntext of src/b/c.test.ts");
});
