import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserArguments } from "./browser-arguments.ts";
import { temporaryFolder } from "./temporary.ts";

test("what Playwright turns off in a browser stays off", async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, "browser");
  const given = join(folder.path, "given");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${given}\n`);
  chmodSync(program, 0o755);
  await expect(chromium.launch({ executablePath: program, args: browserArguments })).rejects.toThrow();
  const off = readFileSync(given, "utf8").match(/(?<=^--disable-features=).*/gm) ?? [];
  const [byPlaywright = [], last = []] = off.map((names) => names.split(","));
  expect(off).toHaveLength(2);
  expect(byPlaywright.filter((name) => !last.includes(name))).toEqual([]);
});
