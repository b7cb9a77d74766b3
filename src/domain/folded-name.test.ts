import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { endOfPrefix, foldName } from "./folded-name.ts";

const text = fc.string({ unit: "binary", maxLength: 12 }).filter((one) => one.isWellFormed() && !one.includes("\0"));

test.each([
  ["Rex", "rex"],
  ["MÜLLER", "muller"],
  ["Ｆｌｕｆｆｙ", "fluffy"],
  ["İstanbul", "istanbul"],
  ["Ilgın", "ilgin"],
  ["ΟΔΟΣ", "οδοσ"],
  ["όδός", "οδοσ"],
  ["ᾳ", "αι"],
  ["ЙЁлка", "иелка"],
  ["ﬁn", "fin"],
  ["Straße", "strasse"],
  ["STRAẞE", "strasse"],
  ["Ꭰ", "ꭰ"],
  ["कि", "कि"],
  ["กี", "กี"],
  ["が", "か\u3099"],
  ["한", "\u1112\u1161\u11ab"],
  ["ㅎ", "\u1112"],
  ["1\u0301", "1\u0301"],
])("the folded form of %s is %s", (name, folded) => {
  expect(foldName(name)).toBe(folded);
});

test("folding is idempotent, decomposes characters, and ignores case and composition", () => {
  for (let point = 1; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const folded = foldName(character);
    const [upper, lower] = [character.toUpperCase(), character.toLowerCase()];
    const composed = [character.normalize("NFC"), character.normalize("NFD")];
    const variants = [folded, upper, lower, lower.toUpperCase(), ...composed];
    const isSame = variants.every((variant) => variant === folded || foldName(variant) === folded);
    if (!isSame || folded.normalize("NFKD") !== folded) throw new Error(`U+${point.toString(16)} folds to ${folded}.`);
  }
  fc.assert(
    fc.property(text, (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
      expect(foldName(name.normalize("NFC"))).toBe(foldName(name.normalize("NFD")));
    }),
    { numRuns: 20_000 },
  );
});

test("a folded name is truncated between characters to 2,550 bytes, which is enough for 255 Hangul syllables", () => {
  expect(foldName("한".repeat(255))).toBe("한".normalize("NFKD").repeat(255));
  for (const start of ["", "a", "ab", "한", "𝅘𝅥𝅮"]) {
    const whole = (start + "ﷺ".repeat(100)).normalize("NFKD").replace(/(?<=\p{L})\p{M}/gu, "");
    const folded = foldName(start + "ﷺ".repeat(100));
    expect(whole).toStartWith(folded);
    expect(Buffer.byteLength(folded)).toBeWithin(2_547, 2_551);
    expect(foldName(folded)).toBe(folded);
  }
});

test("SQLite sorts a name between a prefix and the end of the prefix if and only if the name starts with the prefix", () => {
  using database = new Database(":memory:");
  const between = database.query<{ found: number }, [string, string, string | null]>(
    "SELECT ?1 >= ?2 AND (?3 IS NULL OR ?1 < ?3) AS found",
  );
  const point = fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}");
  const shortText = fc.array(point, { maxLength: 4 }).map((points) => points.join(""));
  fc.assert(
    fc.property(shortText, shortText, (name, prefix) => {
      const found = between.get(name, prefix, endOfPrefix(prefix) ?? null)?.found === 1;
      expect(found).toBe(name.startsWith(prefix));
    }),
    { numRuns: 5_000 },
  );
});
