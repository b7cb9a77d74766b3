import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { style } from "./page.ts";

test("plain HTML pages have the colours of the console", () => {
  const consoleColours = new Map(coloursIn(readFileSync("src/console/style/tokens.css", "utf8")));
  const pageColours = coloursIn(style);
  expect(pageColours.length).toBeGreaterThan(5);
  for (const [name, colour] of pageColours) expect([name, colour]).toEqual([name, consoleColours.get(name) ?? ""]);
});

function coloursIn(css: string): [name: string, colour: string][] {
  return Array.from(css.matchAll(/(--[\w-]+): (light-dark\([^;]+\));/g), ([, name = "", colour = ""]) => [
    name,
    colour,
  ]);
}
