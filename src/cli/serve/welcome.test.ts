import { expect, test } from "bun:test";
import { firstKeyNotice, readyNotice } from "./welcome.ts";

test("the notices at the start do not mention a console that was not built", () => {
  const url = new URL("http://127.0.0.1:8080");
  const shown = (hasPages: boolean) => readyNotice(url, hasPages) + firstKeyNotice("ask_key", url, hasPages);
  expect(shown(true)).toMatch(/browser[\s\S]*Sign in/);
  expect(shown(false)).not.toMatch(/browser|sign in/i);
  expect(shown(false)).toContain("Add an animal with it:");
});
