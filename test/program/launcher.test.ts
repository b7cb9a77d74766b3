import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostilePlaces, plant, testInHostileFolders } from "../support/hostile-folder.ts";
import { endBySignal, LineReader, launcherFile, launcherFlags, projectFolder } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const bun = realpathSync(join(projectFolder, "node_modules/bun/bin/bun.exe"));
const { version } = await Bun.file(join(projectFolder, "package.json")).json();

/** Installs the package as npm does, with Bun at the given path. Returns npm's link to the launcher. */
function install(folder: string, bunPath: string): string {
  const installed = join(folder, "node_modules/animal-store");
  for (const part of ["animal-store", "package.json", "src", "packages/client/src"])
    cpSync(join(projectFolder, part), join(installed, part), { recursive: true });
  symlinkSync(join(projectFolder, "node_modules/typebox"), join(folder, "node_modules/typebox"));
  mkdirSync(dirname(join(folder, bunPath)), { recursive: true });
  symlinkSync(bun, join(folder, bunPath));
  mkdirSync(join(folder, "node_modules/.bin"));
  const link = join(folder, "node_modules/.bin/animal-store");
  symlinkSync("../animal-store/animal-store", link);
  return link;
}

test.each([
  ["beside the package", "node_modules/bun/bin/bun.exe"],
  ["within the package", "node_modules/animal-store/node_modules/bun/bin/bun.exe"],
])("the launcher finds the Bun that is %s, from any folder and through npm's link", (_, bunPath) => {
  using folder = temporaryFolder();
  const link = install(folder.path, bunPath);
  const { status, stdout, stderr } = spawnSync(link, ["--version"], { cwd: "/", encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("the launcher does not need Bun's install script, which package managers may not run", () => {
  using folder = temporaryFolder();
  const link = install(folder.path, "node_modules/@oven/bun-this-platform/bin/bun");
  cpSync(join(projectFolder, "node_modules/bun/package.json"), join(folder.path, "node_modules/bun/package.json"));
  const { status, stdout } = spawnSync(link, ["--version"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, `${version}\n`]);
});

test("the launcher passes Bun the flags with which the other tests run the sources", () => {
  expect(readFileSync(launcherFile, "utf8")).toContain(` ${launcherFlags.join(" ")} `);
});

test("the launcher passes on arguments unchanged, and returns the exit code", () => {
  const { status, stderr } = spawnSync(launcherFile, ["two words", "*"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([
    2,
    'animal-store: Unknown command "two words"; animal-store --help lists the commands.\n',
  ]);
});

test("the launcher replaces itself with the program, so that signals reach the program", async () => {
  using folder = temporaryFolder();
  await using child = Bun.spawn([launcherFile, "serve", "--port", "0"], {
    cwd: folder.path,
    env: process.env,
    stdout: "pipe",
    stderr: "ignore",
  });
  await new LineReader(child.stdout).until(/is ready/);
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
});

test.each([
  ["a checkout", "project", "project", "npm ci"],
  ["a package", "store/node_modules/animal-store", "store", "npm install"],
])("the launcher says in one line what to run if the dependencies of %s are missing", (_, place, shown, command) => {
  using folder = temporaryFolder();
  const path = join(realpathSync(folder.path), place);
  cpSync(launcherFile, join(path, "animal-store"));
  plant("node_modules", folder.path);
  const { status, stdout, stderr } = spawnSync(join(path, "animal-store"), ["serve"], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: "",
    stderr: `animal-store: what it needs is not installed. Run: cd '${join(realpathSync(folder.path), shown)}' && ${command}\n`,
  });
});

describe("a command of the launcher in a checkout", () => testInHostileFolders(() => launcherFile));

describe("a command of the launcher through npm's symbolic link", () => {
  const folder = temporaryFolder();
  let link = "";
  beforeAll(() => {
    link = install(folder.path, "node_modules/bun/bin/bun.exe");
  });
  afterAll(() => folder[Symbol.dispose]());
  testInHostileFolders(() => link);
});

function checkOut(folder: string): string {
  const path = join(realpathSync(folder), "checkout");
  for (const part of ["animal-store", "package.json", "src", "packages/client/src"])
    cpSync(join(projectFolder, part), join(path, part), { recursive: true });
  return path;
}

// A checkout has its own package.json and node_modules, so hostile files with these names can only be in its parent directory.
const places = hostilePlaces.filter(
  ([file, place]) => place === "the parent directory" || !["package.json", "node_modules"].includes(file),
);
test.each(places)("npm start is not affected by a planted %s in %s", async (file, place) => {
  using folder = temporaryFolder();
  const cwd = checkOut(folder.path);
  symlinkSync(join(projectFolder, "node_modules"), join(cwd, "node_modules"));
  plant(file, place === "the current directory" ? cwd : folder.path);
  await using child = Bun.spawn(["npm", "start", "--", "--port", "0"], {
    cwd,
    // Bun sets NODE_ENV in tests, and a program with that value would ignore .env.local.
    env: { ...process.env, NODE_ENV: undefined },
    stdout: "pipe",
    stderr: "ignore",
  });
  expect(await new LineReader(child.stdout).until(/is ready/)).toContain("animal-store is ready");
  await endBySignal(child, "SIGTERM");
});

test("npm start says what to run if npm ci has not run", () => {
  using folder = temporaryFolder();
  const cwd = checkOut(folder.path);
  plant("node_modules", folder.path);
  const { status, stderr } = spawnSync("npm", ["start"], { cwd, encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain(`animal-store: what it needs is not installed. Run: cd '${cwd}' && npm ci\n`);
});
