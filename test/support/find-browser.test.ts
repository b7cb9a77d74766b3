import { expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allowAtMost } from "../suite/concurrency.ts";
import { runJobs } from "../suite/run-jobs.ts";
import { testUnless } from "./conditional-test.ts";
import {
  describeSearch,
  findBrowser,
  findCiFailures,
  listBrowsers,
  type Machine,
  thisMachine,
} from "./find-browser.ts";
import { projectFolder } from "./program.ts";
import { temporaryFolder } from "./temporary.ts";

const bareMachine: Machine = {
  environment: {},
  platform: "linux",
  arch: "x64",
  isRoot: true,
  find: (program) => (program === "apt-get" ? "/usr/bin/apt-get" : null),
  listDownloads: () => [],
  unpackFromNpm: () => Promise.reject(new Error("the package is broken")),
  downloadWithPlaywright: () => Promise.reject(new Error("there is no network")),
  installWithApt: () => Promise.reject(new Error("there is no mirror")),
  requireLaunchable: async () => {},
};

const richMachine: Machine = {
  ...bareMachine,
  environment: { CHROMIUM_PATH: "/asked" },
  find: (program) => `/usr/bin/${program}`,
  listDownloads: () => ["/cache/chrome"],
  unpackFromNpm: async () => "/tmp/chromium",
  downloadWithPlaywright: async () => {},
  installWithApt: async () => {},
};

const findPath = async (machine: Machine) => (await findBrowser(machine)).path;

/** Returns the part of a `Machine` on which only these browsers start. */
const startOnly = (...paths: string[]) => ({
  async requireLaunchable(path: string) {
    if (!paths.includes(path)) throw new Error("libnss3.so is missing\nand much more");
  },
});

test("the browser that the environment names is preferred to all others", async () => {
  expect(await findBrowser(richMachine)).toEqual({ path: "/asked", origin: "CHROMIUM_PATH" });
});

test("an installed browser is used if the environment names none", async () => {
  for (const environment of [{}, { CHROMIUM_PATH: "" }]) {
    const path = "/usr/bin/chromium-headless-shell";
    expect(await findBrowser({ ...richMachine, environment })).toEqual({ path, origin: "installed" });
  }
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    const find = (program: string) => (program === name ? `/opt/${name}` : null);
    expect(await findPath({ ...bareMachine, find })).toBe(`/opt/${name}`);
  }
});

test("browsers in /Applications are found on macOS only", async () => {
  const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const find = (program: string) => (program === chrome ? chrome : null);
  expect(await findPath({ ...bareMachine, platform: "darwin", arch: "arm64", find })).toBe(chrome);
  expect(await findPath({ ...bareMachine, find })).toBeUndefined();
});

test("of the browsers that Playwright has downloaded before, the first that starts is used", async () => {
  const listDownloads = () => ["/cache/new", "/cache/old"];
  const machine = { ...richMachine, environment: {}, find: () => null, listDownloads };
  expect(await findBrowser(machine)).toEqual({ path: "/cache/new", origin: "downloaded by Playwright" });
  expect(await findPath({ ...machine, ...startOnly("/cache/old", "/tmp/chromium") })).toBe("/cache/old");
});

test("the browser of the npm package is used only on Linux on x64", async () => {
  const machine = { ...bareMachine, unpackFromNpm: richMachine.unpackFromNpm };
  expect(await findPath(machine)).toBe("/tmp/chromium");
  expect(await findPath({ ...machine, arch: "arm64" })).toBeUndefined();
  expect(await findPath({ ...machine, platform: "darwin" })).toBeUndefined();
});

testUnless(
  process.platform === "linux" && process.arch === "x64" ? undefined : "the npm package has none for this machine",
  "the browser of the npm package is unpacked even if the temporary folder contains a file of the same name",
  async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "chromium"), "");
    const previousFolder = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder.path;
    const path = await thisMachine.unpackFromNpm().finally(() => {
      if (previousFolder === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = previousFolder;
    });
    expect(path).toStartWith(join(projectFolder, "node_modules"));
    expect(statSync(path).size).toBeGreaterThan(0);
  },
);

test("if no browser is installed or in the npm package, a download is announced and tried", async () => {
  const steps: string[] = [];
  const machine: Machine = {
    ...bareMachine,
    listDownloads: () => (steps.includes("download") ? ["/cache/chrome"] : []),
    async downloadWithPlaywright() {
      steps.push("download");
    },
  };
  const expected = { path: "/cache/chrome", origin: "downloaded by Playwright" };
  expect(await findBrowser(machine, (line) => steps.push(line))).toEqual(expected);
  expect(steps).toEqual(["No browser is installed, so Playwright is asked to download one", "download"]);
});

test("apt-get installs a browser if none can be downloaded, but only for root", async () => {
  let isInstalled = false;
  const machine: Machine = {
    ...bareMachine,
    find: (program) =>
      program === "apt-get" || (isInstalled && program === "chromium") ? `/usr/bin/${program}` : null,
    async installWithApt() {
      isInstalled = true;
    },
  };
  expect(await findPath({ ...machine, isRoot: false })).toBeUndefined();
  expect(isInstalled).toBe(false);
  expect(await findPath(machine)).toBe("/usr/bin/chromium");
});

test("the search continues with the next source if no browser of a source starts", async () => {
  const machine = { ...richMachine, environment: {} };
  expect(await findPath({ ...machine, ...startOnly("/usr/bin/google-chrome") })).toBe("/usr/bin/google-chrome");
  expect(await findPath({ ...machine, ...startOnly("/tmp/chromium") })).toBe("/tmp/chromium");
});

test("the search fails if the browser that the environment names does not start", async () => {
  const error = await findBrowser({ ...richMachine, ...startOnly("/usr/bin/chromium") }).catch((thrown) => thrown);
  expect(error.message).toBe("The browser at /asked (CHROMIUM_PATH) does not start: libnss3.so is missing");
});

test('no browser is used if CHROMIUM_PATH is "none"', async () => {
  expect(await findPath({ ...richMachine, environment: { CHROMIUM_PATH: "none" } })).toBeUndefined();
});

test("if no source has a browser, the reasons are listed", async () => {
  const find = (program: string) => (["chromium", "apt-get"].includes(program) ? `/usr/bin/${program}` : null);
  expect(describeSearch(await findBrowser({ ...bareMachine, find, ...startOnly() }))).toBe(
    "No browser: /usr/bin/chromium does not start: libnss3.so is missing; " +
      "none could be unpacked from the npm package @sparticuz/chromium: the package is broken; " +
      "none could be downloaded by Playwright: there is no network; " +
      "none could be installed by apt-get: there is no mirror. " +
      "To have one, install chromium or Google Chrome, or set CHROMIUM_PATH to the path of one.",
  );
});

test("a missing browser fails a run of all tests only if CI is set", () => {
  const search = { path: undefined, reasons: [] };
  expect(findCiFailures(search, { CI: "true" })).toEqual(["there is no browser, though CI is set"]);
  for (const environment of [{}, { CI: "" }]) expect(findCiFailures(search, environment)).toEqual([]);
  expect(findCiFailures({ path: "/asked", origin: "CHROMIUM_PATH" }, { CI: "true" })).toEqual([]);
});

test("tests are skipped without a browser, and their names say how to install one", async () => {
  const command = [process.execPath, "test", "./test/browser/layout.test.ts"];
  const environment = { CHROMIUM_PATH: "none" };
  const job = { name: "layout", command, folder: projectFolder, environment, hasTests: true };
  const { skipped, passed, failed } = await runJobs([job], allowAtMost(1), () => {});
  expect({ passed, failed }).toEqual({ passed: 0, failed: [] });
  const reason = "there is no browser: install chromium or Google Chrome, or set CHROMIUM_PATH to the path of one";
  expect(skipped.length).toBeGreaterThan(0);
  for (const name of skipped) expect(name).toEndWith(` (skipped: ${reason})`);
});

test("Playwright's downloads are found on every platform, the newest first", () => {
  using folder = temporaryFolder();
  const paths = [
    "chromium_headless_shell-1254/chrome-headless-shell-linux64/chrome-headless-shell",
    "chromium-1200/chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chromium-900/chrome-linux/chrome",
  ].map((path) => join(folder.path, path));
  for (const path of [...paths, join(folder.path, "firefox-1500/firefox/firefox")]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
  }
  expect(listBrowsers(folder.path)).toEqual(paths);
});
