import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserArguments } from "./browser-arguments.ts";
import { temporaryFolder } from "./temporary.ts";

test("features that Playwright disables stay disabled", async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, "browser");
  const argumentsFile = join(folder.path, "given");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${argumentsFile}\n`);
  chmodSync(program, 0o755);
  await expect(chromium.launch({ executablePath: program, args: browserArguments })).rejects.toThrow();
  const disabled = readFileSync(argumentsFile, "utf8").match(/(?<=^--disable-features=).*/gm) ?? [];
  const [byPlaywright = [], last = []] = disabled.map((names) => names.split(","));
  expect(disabled).toHaveLength(2);
  expect(byPlaywright.filter((name) => !last.includes(name))).toEqual([]);
});
