import { expect, test } from "bun:test";
import { matchPrefix, matchWordPrefix } from "./prefix-match.ts";

const shownBy = (find: typeof matchPrefix) => (text: string, wanted: string) => {
  const span = find(text, wanted);
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
])("%s begins with %s", (text, wanted, shown) => {
  expect(shownBy(matchPrefix)(text, wanted)).toBe(shown);
});

test.each([
  ["Rex", "ex"],
  ["Rex", "rexy"],
  ["Rex", ""],
  ["किरण", "का"],
])("%s does not begin with %s", (text, wanted) => {
  expect(matchPrefix(text, wanted)).toBeUndefined();
});

test("any word may begin so, and what follows it counts as well", () => {
  expect(shownBy(matchWordPrefix)("Go to animals", "an")).toBe("Go to [an]imals");
  expect(shownBy(matchWordPrefix)("Go to animals", "to an")).toBe("Go [to an]imals");
  expect(matchWordPrefix("Go to animals", "nimals")).toBeUndefined();
});
