import { expect, test } from "bun:test";
import { groupFiles } from "./groups.ts";

test("every file is in one group: short files share groups, browser tests share groups, and a file that starts many programs has its own group", () => {
  const files = [
    ...Array.from({ length: 7 }, (_, index) => `test/browser/view-${index}.test.ts`),
    ...Array.from({ length: 8 }, (_, index) => `test/http/short-${index}.test.ts`),
    "src/a.test.ts",
    "src/b/c.test.ts",
    "test/http/model.test.ts",
    "test/program/health.test.ts",
    "test/program/keys.test.ts",
    "test/program/own.test.ts",
    "test/program/serve.test.ts",
    "test/store/tables.test.ts",
  ];
  const readText = (file: string) => {
    if (file.includes("model")) return 'import fc from "fast-check";';
    return file.includes("serve") ? "many tests".repeat(2_000) : `text of ${file}`;
  };
  const groups = groupFiles(files, readText, ["test/program/own.test.ts"]);
  expect(groups.flatMap((group) => group.files).sort()).toEqual(files.toSorted());
  expect(groups.map(({ name }) => name).sort()).toEqual([
    "src/a.test.ts and 1 more",
    "test/browser/view-0.test.ts and 5 more",
    "test/browser/view-6.test.ts",
    "test/http/model.test.ts",
    "test/http/short-0.test.ts and 5 more",
    "test/http/short-6.test.ts and 1 more",
    "test/program/health.test.ts and 1 more",
    "test/program/own.test.ts",
    "test/program/serve.test.ts",
    "test/store/tables.test.ts",
  ]);
  const sourceGroup = groups.find(({ name }) => name.startsWith("src/"));
  expect(sourceGroup?.source).toBe("text of src/a.test.ts\ntext of src/b/c.test.ts");
});
