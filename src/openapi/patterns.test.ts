import { expect, test } from "bun:test";
import fc from "fast-check";
import { regexEngines } from "../../test/support/regex-engines.ts";
import { isName } from "../domain/name.ts";
import { nameField } from "../operations/fields.ts";
import { operations } from "../operations/index.ts";
import { createOpenApiDocument } from "./document.ts";

const patterns = [...new Set(patternsIn(createOpenApiDocument(operations, [])))];

const texts = [
  ...["", " ", "Rex", "  Rex  ", "\u00a0", "\u200b\u2060\ufeff", "\u2800", "👩‍🚀", "🐕"],
  ...["\ufe0f", "\u{e0020}\u{e007f}"],
  ...["\u{1d173}", "\u{1d11e}", "\u{1bca0}x", "\u{10ffff}", "\ud7ff\ue000", "\u2028", "a\nb"],
  ...["\u0085", "\u007f", "a\u0000"],
  ...["2031-01-31T12:00:00Z", "2031-01-31T12:00:00.123456789Z", "2031-13-31T12:00:00Z"],
  ...["2031-01-31", "٢٠٣١-01-31T12:00:00Z"],
  ...['"1x9q3v5t7b2kd"', 'W/"1x"', '""', '"default";q=100;w=1', '"default";r=99;t=1', '"default";r=٩;t=1'],
  ...[`evt_${"0f".repeat(16)}`, "pets/12", "orders/3", "categories/-9223372036854775808"],
  ...["keys/1", "webhooks/1", "pets/٣"],
  ...["https://shop.example/hooks", "http://10.0.0.1:8080/?a=b", "ftp://x", "https://", "https://ü"],
  ...["pet.created,pet.updated", "pet.created", "petxcreated", "wait=20", "handling=strict, wait=1"],
  ...["@1794614400", "key-1", '"key-1"', '"key-1', "a b", "!#~", "x".repeat(255), "x".repeat(256), "ключ"],
  ...fc
    .sample(fc.string({ unit: "binary", maxLength: 4 }), { numRuns: 500, seed: 1 })
    .filter((text) => !/\n$/.test(text)),
];

const { minLength, maxLength, pattern, not } = nameField("");
const patternsOfName = [pattern, not.pattern, ...not.allOf.map((one) => one.pattern)];
const names = [...texts, "Rex\n", " \n", "\u200b\r\n", "Rex\u2028", "Rex\u0085", "\u{e0020}\u{e1000}", "\u{f0000}"];

const results = new Map<string, Promise<boolean[][]>>();

/** Matches the texts with an engine. Returns a row for each pattern of the document, and then for each pattern of names. */
function matchWith(engine: string): Promise<boolean[][]> {
  const cached = results.get(engine);
  const matches = cached ?? regexEngines[engine]?.([...patterns, ...patternsOfName], names) ?? Promise.resolve([]);
  results.set(engine, matches);
  return matches;
}

/** Drops the rows of the patterns of names, and the columns of the texts that are only for those patterns. */
const rowsOfDocument = (rows: boolean[][]) => rows.slice(0, patterns.length).map((row) => row.slice(0, texts.length));

test("every pattern of the OpenAPI document compiles in tools that read patterns as UTF-16 code units", () => {
  for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow();
});

test("every pattern of the OpenAPI document matches some of the sample texts, but not all", async () => {
  expect(patterns.length).toBeGreaterThan(5);
  for (const row of rowsOfDocument(await matchWith("JavaScript"))) expect(new Set(row)).toEqual(new Set([true, false]));
});

for (const [name, engine] of Object.entries(regexEngines)) {
  test.skipIf(!engine)(
    `every pattern of the OpenAPI document has the same meaning in ${name} as in JavaScript${engine ? "" : " (skipped: not installed here)"}`,
    async () => {
      expect(rowsOfDocument(await matchWith(name))).toEqual(rowsOfDocument(await matchWith("JavaScript")));
    },
  );
}

for (const [name, engine] of Object.entries(regexEngines)) {
  test.skipIf(!engine)(
    `the patterns of names accept the same names in ${name} as the service${engine ? "" : " (skipped: not installed here)"}`,
    async () => {
      const [allowedRow = [], ...refusedRows] = (await matchWith(name)).slice(patterns.length);
      const accepted = names.filter((text, index) => {
        const { length } = [...text];
        const isRefused = refusedRows.every((row) => row[index]);
        return allowedRow[index] && !isRefused && length >= minLength && length <= maxLength;
      });
      expect(accepted).toEqual(names.filter((text) => isName(text, maxLength)));
      expect(accepted).toContain("👩‍🚀");
    },
  );
}

function patternsIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "pattern" && typeof value === "string" ? [value] : patternsIn(value),
  );
}
