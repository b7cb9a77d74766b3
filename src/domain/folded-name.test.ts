import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { endOfPrefix, foldName } from "./folded-name.ts";

const text = fc.string({ unit: "binary", maxLength: 12 }).filter((one) => one.isWellFormed() && !one.includes("\0"));

describe("a folded name", () => {
  test.each([
    ["Rex", "rex"],
    ["MÜLLER", "muller"],
    ["Ｆｌｕｆｆｙ", "fluffy"],
    ["İstanbul", "istanbul"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ﬁn", "fin"],
  ])("of %s is %s", (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  test("is its own, and no longer than an index takes", () => {
    fc.assert(
      fc.property(text, (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
      { numRuns: 20_000 },
    );
    for (let point = 1; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      const folded = foldName(character);
      if (folded !== character && foldName(folded) !== folded)
        throw new Error(`U+${point.toString(16)} folds to ${folded}, and on.`);
    }
    expect([...foldName("\ufdfa".repeat(255))]).toHaveLength(255);
  });

  test("begins with another exactly if it is between that and its end, as SQLite compares them", () => {
    using database = new Database(":memory:");
    const between = database.query<{ found: number }, [string, string, string | null]>(
      "SELECT ?1 >= ?2 AND (?3 IS NULL OR ?1 < ?3) AS found",
    );
    const point = fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}");
    const few = fc.array(point, { maxLength: 4 }).map((points) => points.join(""));
    fc.assert(
      fc.property(few, few, (name, prefix) => {
        const found = between.get(name, prefix, endOfPrefix(prefix) ?? null)?.found === 1;
        expect(found).toBe(name.startsWith(prefix));
      }),
      { numRuns: 5_000 },
    );
  });
});
