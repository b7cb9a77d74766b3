import { expect, test } from "bun:test";
import { matchPrefix, matchWordPrefix } from "./prefix-match.ts";

const markMatch = (find: typeof matchPrefix, text: string, prefix: string) => {
  const span = find(text, prefix);
  return span && `${text.slice(0, span.start)}[${text.slice(span.start, span.end)}]${text.slice(span.end)}`;
};

test.each([
  ["Rex", "re", "[Re]x"],
  ["Rex", "REX", "[Rex]"],
  ["Rémy", "rem", "[Rém]y"],
  ["Re\u0301my", "re", "[Re\u0301]my"],
  ["Ｆｌｕｆｆｙ", "fl", "[Ｆｌ]ｕｆｆｙ"],
  ["ﬁn", "f", "[ﬁ]n"],
  ["İstanbul", "ist", "[İst]anbul"],
  ["小鸟", "小", "[小]鸟"],
  ["🐶 Rex", "🐶", "[🐶] Rex"],
  ["Straße", "stras", "[Straß]e"],
  ["한글", "하", "[한]글"],
  ["किरण", "क", "[कि]रण"],
  ["Rex", "ex", undefined],
  ["Rex", "rexy", undefined],
  ["Rex", "", undefined],
  ["किरण", "का", undefined],
])("matching %s with the prefix %s marks %s", (text, prefix, marked) => {
  expect(markMatch(matchPrefix, text, prefix)).toBe(marked);
});

test("a prefix matches at the start of any word of a text, and may contain several words", () => {
  expect(markMatch(matchWordPrefix, "Go to animals", "an")).toBe("Go to [an]imals");
  expect(markMatch(matchWordPrefix, "Go to animals", "to an")).toBe("Go [to an]imals");
  expect(matchWordPrefix("Go to animals", "nimals")).toBeUndefined();
});
