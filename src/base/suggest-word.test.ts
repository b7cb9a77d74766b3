import { expect, test } from "bun:test";
import { suggestWord } from "./suggest-word.ts";

const words = ["list", "get", "add", "update", "delete", "--status", "--limit"];

test.each([
  ["lsit", "list"],
  ["lst", "list"],
  ["lists", "list"],
  ["updat", "update"],
  ["del", "delete"],
  ["--stauts", "--status"],
  ["--limt", "--limit"],
])("for %s, the word %s is suggested", (written, suggested) => {
  expect(suggestWord(written, words)).toBe(suggested);
});

test.each(["frob", "", "x", "--frobnicate", "-x"])("for %j, no word is suggested", (written) => {
  expect(suggestWord(written, words)).toBeUndefined();
});
