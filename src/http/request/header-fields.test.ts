import { describe, expect, test } from "bun:test";
import { tokenOf } from "../access/token.ts";
import { elementsOf, weightOf } from "./header-fields.ts";
import { prefersStrict } from "./preferences.ts";

describe("a list header", () => {
  test.each<[string, string, [string, string | undefined][][]]>([
    ["nothing", "", []],
    ["empty elements", " , ,", []],
    ["plain names, in lower case", "BR, gzip", [[["br", undefined]], [["gzip", undefined]]]],
    [
      "parameters",
      "text/html ; q=0.5;level = 1",
      [
        [
          ["text/html", undefined],
          ["q", "0.5"],
          ["level", "1"],
        ],
      ],
    ],
    ["quoted separators", 'for="a,b;c", for=d', [[["for", "a,b;c"]], [["for", "d"]]]],
    ["escaped quotes", 'a="x\\"y\\\\"', [[["a", 'x"y\\']]]],
    ["a quote that never ends", 'a="b, c', [[["a", '"b, c']]]],
    ["text after a quote", 'a=""x', [[["a", '""x']]]],
  ])("with %s", (_, header, elements) => {
    expect(elementsOf(header).map((pairs) => pairs.map(({ name, value }) => [name, value]))).toEqual(elements as never);
  });

  test("weighs what it names", () => {
    const elements = elementsOf("br;q=0, gzip;q=0.5, deflate");
    expect(["br", "gzip", "deflate", "zstd"].map((name) => weightOf(name, elements))).toEqual([0, 0.5, 1, 0]);
  });
});

describe("reading a header takes time in proportion to its length", () => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    elementsOf,
    prefersStrict,
    tokenOf: (text) => tokenOf(`Bearer ${text}`),
  };
  const runs: Readonly<Record<string, (length: number) => string>> = {
    "spaces before an odd quote": (length) => `application/json;charset=${" ".repeat(length)}""x`,
    "spaces after a name": (length) => `handling${" ".repeat(length)}x`,
    "spaces around nothing": (length) => `a =${" ".repeat(length)}`,
    semicolons: (length) => `a${";".repeat(length)}`,
    "commas and spaces": (length) => ", ".repeat(length / 2),
    quotes: (length) => `a=${'"'.repeat(length)}`,
    backslashes: (length) => `a="${"\\".repeat(length)}`,
  };

  const cases = Object.keys(readers).flatMap((reader) => Object.keys(runs).map((run) => [reader, run] as const));
  test.each(cases)("%s, %s", (reader, run) => {
    const read = readers[reader] ?? elementsOf;
    const make = runs[run] ?? String;
    // Where the time grows with the square, this takes longer than any test may take.
    read(make(1_000_000));
  });
});
