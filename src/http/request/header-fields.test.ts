import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { headerReaders, hostileTexts, slowReaders } from "../../../test/support/read-headers.ts";
import { testLimitMs } from "../../../test/support/time-limit.ts";
import { findQuality, parseAppendedList, parseList } from "./header-fields.ts";

test.each<[string, string, [string, string | undefined][][]]>([
  ["no elements", "", []],
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
])("a list header is parsed with %s", (_, header, elements) => {
  expect(parseList(header).map((pairs) => pairs.map(({ name, value }) => [name, value]))).toEqual(elements as never);
});

test("the quality of an element defaults to 1, and is 0 if the list does not contain the element", () => {
  const elements = parseList("br;q=0, gzip;q=0.5, deflate");
  expect(["br", "gzip", "deflate", "zstd"].map((name) => findQuality(name, elements))).toEqual([0, 0.5, 1, 0]);
});

const proxyElements = [
  "for=203.0.113.7",
  'for="203.0.113.7:80";proto=https',
  'for="[2001:db8::1]:4711"',
  'for=203.0.113.7;host="a\\"b"',
  'for=203.0.113.7;host="a\\\\"',
  'for=203.0.113.7;host="a, for=1.2.3.4;x=\\"";by="_a"',
];

test.each(proxyElements)("a well-formed list of proxies is parsed like any other list: %s", (element) => {
  const header = `for=192.0.2.1, ${element}, ,${proxyElements.join(",")}`;
  expect(parseAppendedList(header)).toEqual(parseList(header));
});

test("the last element of a list of proxies is parsed as the last proxy sent it, whatever precedes that element", () => {
  const before = fc.string({ unit: fc.constantFrom('"', "\\", ",", ";", "=", "for", " ", "x", "1.2.3.4") });
  fc.assert(
    fc.property(before, fc.constantFrom(...proxyElements), (prefix, element) => {
      expect(parseAppendedList(`${prefix}, ${element}`).at(-1)).toEqual(parseList(element)[0] ?? []);
    }),
    { numRuns: 5_000 },
  );
});

test.each(['for=1.2.3.4"', 'for=1.2.3.4;x="', 'for=1.2.3.4, x="', '"'])(
  "everything before an unmatched quote in a list of proxies is discarded: %s",
  (header) => {
    expect(parseAppendedList(header)).toEqual([[]]);
  },
);

const script = join(import.meta.dir, "../../../test/support/read-headers.ts");
// A separate process, because a parser that never ends would keep its own process from reporting the failure.
const runReaders = async (...readers: string[]) => {
  const child = Bun.spawn([process.execPath, "--no-orphans", script, ...readers], {
    stdout: "pipe",
    stderr: "inherit",
    timeout: readTimeoutMs,
  });
  const lines = (await child.stdout.text()).trim().split("\n");
  expect([await child.exited, child.signalCode], `after ${lines.at(-1)}`).toEqual([0, null]);
  return lines;
};

test("every header parser takes linear time", async () => {
  const readers = Object.keys(headerReaders);
  const texts = Object.keys(hostileTexts);
  expect(await runReaders(...readers)).toEqual(readers.flatMap((reader) => texts.map((text) => `${reader}: ${text}`)));
});

test("the test for linear time detects slower parsers", async () => {
  const lines = await runReaders(...Object.keys(slowReaders));
  expect(lines).toContain(
    "an expression that tries all pairs: spaces after a name: the time grows faster than the length",
  );
  expect(lines).toContain(
    "an expression that tries all parts: letters before a quote: it takes too long for its length",
  );
});

/** Shorter than the time limit of a test, so that the test can report where a parser got stuck. */
const readTimeoutMs = testLimitMs - 10_000;
