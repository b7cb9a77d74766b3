import { expect, test } from "bun:test";
import fc from "fast-check";
import { isName } from "./name.ts";

/** The rule in terms of Unicode properties, which the patterns in the OpenAPI document cannot use. */
const isInvisible = (character: string) =>
  /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character) && !/\p{Cc}/u.test(character);

test("a visible character alone is a name, and an invisible one is not", () => {
  const wrong: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    const expected = !/[\p{Cc}\p{Cs}]/u.test(character) && !isInvisible(character);
    if (isName(character, 1) !== expected) wrong.push(point.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("a name has a visible character, no control character, no lone surrogate, and is not too long", () => {
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(" ", "\u00a0", "\u200b", "\u200d", "\ufe0f", "\u{e0020}", "\u2800") },
    { weight: 2, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom("\ud83d", "\udc15", "\u0007", "x", "👩‍🚀") },
  );
  const counts = { named: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const text = parts.join("");
      const characters = [...text];
      const expected =
        characters.length <= 5 &&
        text.isWellFormed() &&
        !/\p{Cc}/u.test(text) &&
        characters.some((character) => !isInvisible(character));
      counts[expected ? "named" : "refused"]++;
      expect(isName(text, 5)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(counts.named, counts.refused)).toBeGreaterThan(500);
});
