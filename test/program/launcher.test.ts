import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { LineReader, projectFolder } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const bun = realpathSync(join(projectFolder, "node_modules/bun/bin/bun.exe"));
const { version } = await Bun.file(join(projectFolder, "package.json")).json();

/** The package as npm installs it, with Bun where the path says; its other dependency is where npm puts all of them. */
function install(folder: string, bunPath: string): string {
  const installed = join(folder, "node_modules/animal-store");
  for (const part of ["animal-store", "package.json", "src"])
    cpSync(join(projectFolder, part), join(installed, part), { recursive: true });
  symlinkSync(join(projectFolder, "node_modules/typebox"), join(folder, "node_modules/typebox"));
  mkdirSync(dirname(join(folder, bunPath)), { recursive: true });
  symlinkSync(bun, join(folder, bunPath));
  mkdirSync(join(folder, "node_modules/.bin"));
  const link = join(folder, "node_modules/.bin/animal-store");
  symlinkSync("../animal-store/animal-store", link);
  return link;
}

describe("the launcher", () => {
  test.each([
    ["beside the package", "node_modules/bun/bin/bun.exe"],
    ["within the package", "node_modules/animal-store/node_modules/bun/bin/bun.exe"],
  ])("finds the Bun that is %s, from any folder and through npm's link", (_, bunPath) => {
    using folder = temporaryFolder();
    const link = install(folder.path, bunPath);
    const { status, stdout, stderr } = spawnSync(link, ["--version"], { cwd: "/", encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("does without Bun's install script, which package managers may not run", () => {
    using folder = temporaryFolder();
    const link = install(folder.path, "node_modules/@oven/bun-this-platform/bin/bun");
    cpSync(join(projectFolder, "node_modules/bun/package.json"), join(folder.path, "node_modules/bun/package.json"));
    const { status, stdout } = spawnSync(link, ["--version"], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, `${version}\n`]);
  });

  test("passes arguments on as they are, and the exit code back", () => {
    const launcher = join(projectFolder, "animal-store");
    const { status, stderr } = spawnSync(launcher, ["two words", "*"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      2,
      'animal-store: Unknown command "two words"; animal-store --help lists the commands.\n',
    ]);
  });

  test("becomes the program, so that a signal reaches it", async () => {
    using folder = temporaryFolder();
    await using child = Bun.spawn([join(projectFolder, "animal-store"), "serve", "--port", "0"], {
      cwd: folder.path,
      env: process.env,
      stdout: "pipe",
      stderr: "ignore",
    });
    await new LineReader(child.stdout).until(/is ready/);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test.each([
    ["a checkout", "project", "project", "npm ci"],
    ["a package", "store/node_modules/animal-store", "store", "npm install"],
  ])("says in one line what to run where the dependencies of %s are missing", (_, place, told, command) => {
    using folder = temporaryFolder();
    const path = join(realpathSync(folder.path), place);
    cpSync(join(projectFolder, "animal-store"), join(path, "animal-store"));
    const { status, stdout, stderr } = spawnSync(join(path, "animal-store"), ["serve"], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: "",
      stderr: `animal-store: what it needs is not installed. Run: cd '${join(realpathSync(folder.path), told)}' && ${command}\n`,
    });
  });
});
