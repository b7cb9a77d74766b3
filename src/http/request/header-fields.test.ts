import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { headerReaders, hostileTexts, slowReader } from "../../../test/support/read-headers.ts";
import { appendedElementsOf, elementsOf, weightOf } from "./header-fields.ts";

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

describe("a list that proxies append to", () => {
  const own = [
    "for=203.0.113.7",
    'for="203.0.113.7:80";proto=https',
    'for="[2001:db8::1]:4711"',
    'for=203.0.113.7;host="a\\"b"',
    'for=203.0.113.7;host="a\\\\"',
    'for=203.0.113.7;host="a, for=1.2.3.4;x=\\"";by="_a"',
  ];

  test.each(own)("is read as any other list if it is well-formed: %s", (element) => {
    const header = `for=192.0.2.1, ${element}, ,${own.join(",")}`;
    expect(appendedElementsOf(header)).toEqual(elementsOf(header));
  });

  test("ends with what the last proxy wrote, whatever precedes it", () => {
    const before = fc.string({ unit: fc.constantFrom('"', "\\", ",", ";", "=", "for", " ", "x", "1.2.3.4") });
    fc.assert(
      fc.property(before, fc.constantFrom(...own), (prefix, element) => {
        expect(appendedElementsOf(`${prefix}, ${element}`).at(-1)).toEqual(elementsOf(element)[0] ?? []);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(['for=1.2.3.4"', 'for=1.2.3.4;x="', 'for=1.2.3.4, x="', '"'])(
    "says nothing before a quote that is left open: %s",
    (header) => {
      expect(appendedElementsOf(header)).toEqual([[]]);
    },
  );
});

describe("reading a header takes time in proportion to its length", () => {
  const script = join(import.meta.dir, "../../../test/support/read-headers.ts");
  // In a process of its own, because one that never ends would keep this one from saying which it is.
  const readAll = async (reader: string) => {
    const child = Bun.spawn([process.execPath, "--no-orphans", script, reader], { stdout: "pipe", stderr: "inherit" });
    const lines = (await child.stdout.text()).trim().split("\n");
    expect(await child.exited).toBe(0);
    return lines;
  };

  test.each(Object.keys(headerReaders))("%s", async (reader) => {
    expect(await readAll(reader)).toEqual(Object.keys(hostileTexts));
  });

  test("which is noticed if it were not so", async () => {
    expect(await readAll(slowReader)).toContain("spaces after a name: the time grows faster than the length");
  });
});
