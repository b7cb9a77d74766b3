import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { headerReaders, hostileTexts } from "../../../test/support/read-headers.ts";
import { elementsOf, weightOf } from "./header-fields.ts";

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
  const script = join(import.meta.dir, "../../../test/support/read-headers.ts");
  // In a process of its own, because one that never ends would keep this one from saying which it is.
  test.each(Object.keys(headerReaders))("%s", async (reader) => {
    const child = Bun.spawn([process.execPath, "--no-orphans", script, reader], { stdout: "pipe", stderr: "inherit" });
    expect((await child.stdout.text()).trim().split("\n")).toEqual(Object.keys(hostileTexts));
    expect(await child.exited).toBe(0);
  });
});
