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
])("whoever writes %s means %s", (written, meant) => {
  expect(suggestWord(written, words)).toBe(meant);
});

test.each(["frob", "", "x", "--frobnicate", "-x"])("%j is near to nothing", (written) => {
  expect(suggestWord(written, words)).toBeUndefined();
});
