import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./support/program.ts";

const indirectStartPattern = /^(What|Whether|Who|Whose|Whoever|Of|So that|For so)\b/;
const vagueWordPattern = /\b(somebody|nobody|anybody|whoever|has come of|for ever|any more|under way)\b/i;
const superlativeNamePattern = /\b(most|longest|largest|fewest|farthest|usual)[A-Z]\w*/;

const files = [...new Bun.Glob("{src,packages,test,bench,scripts}/**/*.{ts,tsx,css}").scanSync(projectFolder)]
  .filter((file) => !/\/(dist|node_modules)\/|generated/.test(file))
  .map((file) => ({ file, text: readFileSync(join(projectFolder, file), "utf8") }));

describe("language", () => {
  test("comments start with their subject or their verb", () => {
    expect(findViolations(commentsIn, (comment) => indirectStartPattern.test(comment))).toEqual([]);
  });

  test("comments and test titles name their actors, and use no idioms", () => {
    expect(findViolations(commentsIn, (comment) => vagueWordPattern.test(comment))).toEqual([]);
    expect(findViolations(titlesIn, (title) => vagueWordPattern.test(title))).toEqual([]);
  });

  test("the names of limits begin with max or min, and the names of defaults with default", () => {
    expect(findViolations(namesIn, (name) => superlativeNamePattern.test(name))).toEqual([]);
  });

  test("the language checks find comments and titles wherever they are written", () => {
    const code = [
      "/** First. */",
      "const a = 1; // second",
      "/*",
      " * Third, with a `quoted nobody`",
      " * and a second line.",
      " */",
      "// Fourth,",
      "// and on.",
      'test("a title", () => {});',
      'describe.each([1])("another title", () => {});',
      'testUnless(problem(), "a third title", () => {});',
    ].join("\n");
    expect(commentsIn(code)).toEqual(["First.", "second", "Third, with a and a second line.", "Fourth, and on."]);
    expect(titlesIn(code)).toEqual(["a title", "another title", "a third title"]);
  });
});

function findViolations(partsIn: (text: string) => string[], isWrong: (part: string) => boolean): string[] {
  expect(files.length).toBeGreaterThan(500);
  return files.flatMap(({ file, text }) =>
    partsIn(text)
      .filter(isWrong)
      .map((part) => `${file}: ${part}`),
  );
}

/** Returns the text of each comment, without quotations. Consecutive lines of `//` are one comment. */
function commentsIn(text: string): string[] {
  const comments = text.matchAll(/\/\*\*?(?!\/)([\s\S]*?)\*\/|((?:(?:^|[ \t])\/\/ .*(?:\n\s*(?=\/\/ ))?)+)/gm);
  return [...comments].map(([, block, lines]) =>
    (block ?? lines ?? "")
      .replace(/^\s*(\*|\/\/)|[ \t]\/\//gm, "")
      .replace(/"[^"]*"|`[^`]*`/g, "")
      .replace(/\s*\n\s*/g, " ")
      .trim(),
  );
}

function titlesIn(text: string): string[] {
  const calls = text.matchAll(
    /\b(?:it|test|describe|step|testUnless)(?:\.\w+)*\((?:[^"'`\n]*,\s*)?(?:\[[\s\S]*?\]\)\()?\s*(["'`])(.*?)\1/g,
  );
  return [...calls].map(([, , title = ""]) => title);
}

function namesIn(text: string): string[] {
  return text.replace(/"[^"\n]*"/g, "").match(/\b[A-Za-z]\w*/g) ?? [];
}
