import { expect, test } from "bun:test";
import { formatFirstKeyNotice, formatReadyNotice } from "./welcome.ts";

test("the notices at the start do not mention a console that was not built", () => {
  const url = new URL("http://127.0.0.1:8080");
  const renderNotices = (hasPages: boolean) =>
    formatReadyNotice(url, hasPages) + formatFirstKeyNotice("ask_key", url, hasPages);
  expect(renderNotices(true)).toMatch(/browser[\s\S]*Sign in/);
  expect(renderNotices(false)).not.toMatch(/browser|sign in/i);
  expect(renderNotices(false)).toContain("Add an animal with it:");
});
