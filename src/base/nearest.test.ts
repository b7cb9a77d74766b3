import { expect, test } from "bun:test";
import { nearest } from "./nearest.ts";

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
  expect(nearest(written, words)).toBe(meant);
});

test.each(["frob", "", "x", "--frobnicate", "-x"])("%j is near to nothing", (written) => {
  expect(nearest(written, words)).toBeUndefined();
});
