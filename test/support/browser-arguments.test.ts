import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type LaunchOptions } from "playwright-core";
import { browserArguments } from "./browser-arguments.ts";
import { temporaryFolder } from "./temporary.ts";

test("what Playwright turns off in a browser stays off", async () => {
  const off = (await argumentsOf(browserArguments())).match(/(?<=^--disable-features=).*/gm) ?? [];
  const [byPlaywright = [], last = []] = off.map((names) => names.split(","));
  expect(off).toHaveLength(2);
  expect(byPlaywright.filter((name) => !last.includes(name))).toEqual([]);
});

test("its processes share memory on the disk only where there is little of it", async () => {
  expect(await argumentsOf(browserArguments(2 ** 30))).not.toContain("dev-shm");
  expect(await argumentsOf(browserArguments(2 ** 26))).toContain("--disable-dev-shm-usage");
});

/** What a browser is started with, one argument on each line. */
async function argumentsOf(options: LaunchOptions): Promise<string> {
  using folder = temporaryFolder();
  const program = join(folder.path, "browser");
  const given = join(folder.path, "given");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${given}\n`);
  chmodSync(program, 0o755);
  await expect(chromium.launch({ executablePath: program, ...options })).rejects.toThrow();
  return readFileSync(given, "utf8");
}
