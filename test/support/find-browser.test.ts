import { describe, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { atMost } from "../suite/room.ts";
import { runJobs } from "../suite/run-jobs.ts";
import { testUnless } from "./conditional-test.ts";
import {
  browsersIn,
  describeSearch,
  distributionsIn,
  failuresFor,
  findBrowser,
  type Machine,
  thisMachine,
} from "./find-browser.ts";
import { projectFolder } from "./program.ts";
import { temporaryFolder } from "./temporary.ts";

/** A machine on which nothing is installed, nothing can be downloaded, and whatever is found starts. */
const bare: Machine = {
  environment: {},
  platform: "linux",
  arch: "x64",
  isRoot: true,
  distributions: ["debian"],
  find: () => null,
  downloaded: () => [],
  unpackFromNpm: () => Promise.reject(new Error("the package is broken")),
  downloadWithPlaywright: () => Promise.reject(new Error("there is no network")),
  installWithApt: () => Promise.reject(new Error("there is no mirror")),
  tryOut: async () => {},
};

/** A machine on which every way leads to a browser. */
const rich: Machine = {
  ...bare,
  environment: { CHROMIUM_PATH: "/asked" },
  find: (program) => `/usr/bin/${program}`,
  downloaded: () => ["/cache/chrome"],
  unpackFromNpm: async () => "/tmp/chromium",
  downloadWithPlaywright: async () => {},
  installWithApt: async () => {},
};

const pathOn = async (machine: Machine) => (await findBrowser(machine)).path;

/** Only these browsers start. */
const onlyStarts = (...paths: string[]) => ({
  async tryOut(path: string) {
    if (!paths.includes(path)) throw new Error("libnss3.so is missing\nand much more");
  },
});

describe("a browser is taken", () => {
  test("from the environment, before all others", async () => {
    expect(await findBrowser(rich)).toEqual({ path: "/asked", origin: "CHROMIUM_PATH" });
  });

  test("from what is installed, if the environment names none", async () => {
    for (const environment of [{}, { CHROMIUM_PATH: "" }]) {
      const path = "/usr/bin/chromium-headless-shell";
      expect(await findBrowser({ ...rich, environment })).toEqual({ path, origin: "installed" });
    }
    for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
      const find = (program: string) => (program === name ? `/opt/${name}` : null);
      expect(await pathOn({ ...bare, find })).toBe(`/opt/${name}`);
    }
  });

  test("from the applications of macOS, and nowhere else from there", async () => {
    const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    const find = (program: string) => (program === chrome ? chrome : null);
    expect(await pathOn({ ...bare, platform: "darwin", arch: "arm64", find })).toBe(chrome);
    expect(await pathOn({ ...bare, find })).toBeUndefined();
  });

  test("from what Playwright has downloaded before, the first that starts", async () => {
    const downloaded = () => ["/cache/new", "/cache/old"];
    const machine = { ...rich, environment: {}, find: () => null, downloaded };
    expect(await findBrowser(machine)).toEqual({ path: "/cache/new", origin: "downloaded by Playwright" });
    expect(await pathOn({ ...machine, ...onlyStarts("/cache/old", "/tmp/chromium") })).toBe("/cache/old");
  });

  test("from the npm package, on the one platform that it is made for", async () => {
    const machine = { ...bare, unpackFromNpm: rich.unpackFromNpm };
    expect(await pathOn(machine)).toBe("/tmp/chromium");
    expect(await pathOn({ ...machine, arch: "arm64" })).toBeUndefined();
    expect(await pathOn({ ...machine, platform: "darwin" })).toBeUndefined();
  });

  testUnless(
    process.platform === "linux" && process.arch === "x64" ? undefined : "the npm package has none for this machine",
    "from the npm package, whatever somebody has put among the temporary files",
    async () => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, "chromium"), "");
      const usual = process.env["TMPDIR"];
      process.env["TMPDIR"] = folder.path;
      const path = await thisMachine.unpackFromNpm().finally(() => {
        if (usual === undefined) delete process.env["TMPDIR"];
        else process.env["TMPDIR"] = usual;
      });
      expect(path).toStartWith(join(projectFolder, "node_modules"));
      expect(statSync(path).size).toBeGreaterThan(0);
    },
  );

  test("from a download, and only then from the distribution, each of which is announced", async () => {
    const steps: string[] = [];
    const machine: Machine = {
      ...bare,
      arch: "arm64",
      find: () => (steps.includes("apt") ? "/usr/bin/chromium" : null),
      downloaded: () => (steps.includes("download") ? ["/cache/chrome"] : []),
      async downloadWithPlaywright() {
        steps.push("download");
      },
      async installWithApt() {
        steps.push("apt");
      },
    };
    expect(await findBrowser(machine, (line) => steps.push(line))).toEqual({
      path: "/cache/chrome",
      origin: "downloaded by Playwright",
    });
    expect(steps).toEqual(["No browser is installed, so Playwright is asked to download one", "download"]);
    steps.length = 0;
    const offline = { ...machine, downloadWithPlaywright: bare.downloadWithPlaywright };
    expect(await findBrowser(offline, (line) => steps.push(line))).toEqual({
      path: "/usr/bin/chromium",
      origin: "installed by apt-get",
    });
    expect(steps).toEqual([
      "No browser is installed, so Playwright is asked to download one",
      "No browser could be downloaded, so apt-get is asked to install chromium",
      "apt",
    ]);
  });

  test("from the distribution only by root, and only where there is apt-get", async () => {
    let installs = 0;
    const machine: Machine = {
      ...bare,
      find: () => (installs > 0 ? "/usr/bin/chromium" : null),
      async installWithApt() {
        installs++;
      },
    };
    expect(await pathOn({ ...machine, isRoot: false })).toBeUndefined();
    expect(await pathOn({ ...machine, distributions: ["fedora"] })).toBeUndefined();
    expect(installs).toBe(0);
    expect(await pathOn({ ...machine, distributions: ["pop", "ubuntu"] })).toBe("/usr/bin/chromium");
    expect(installs).toBe(1);
  });

  test("from the next place, if the one before has none that starts", async () => {
    const machine = { ...rich, environment: {} };
    expect(await pathOn({ ...machine, ...onlyStarts("/usr/bin/google-chrome") })).toBe("/usr/bin/google-chrome");
    expect(await pathOn({ ...machine, ...onlyStarts("/tmp/chromium") })).toBe("/tmp/chromium");
  });
});

describe("no browser", () => {
  test("is a failure where the environment names one that does not start", async () => {
    const error = await findBrowser({ ...rich, ...onlyStarts("/usr/bin/chromium") }).catch((thrown) => thrown);
    expect(error.message).toBe("The browser at /asked (CHROMIUM_PATH) does not start: libnss3.so is missing");
  });

  test("is used where the environment says so", async () => {
    expect(await pathOn({ ...rich, environment: { CHROMIUM_PATH: "none" } })).toBeUndefined();
  });

  test("is explained where none can be had", async () => {
    const find = (program: string) => (program === "chromium" ? "/usr/bin/chromium" : null);
    expect(describeSearch(await findBrowser({ ...bare, find, ...onlyStarts() }))).toBe(
      "No browser: /usr/bin/chromium does not start: libnss3.so is missing; " +
        "none could be unpacked from the npm package @sparticuz/chromium: the package is broken; " +
        "none could be downloaded by Playwright: there is no network; " +
        "none could be installed by apt-get: there is no mirror. " +
        "To have one, install chromium or Google Chrome, or set CHROMIUM_PATH to the path of one.",
    );
  });

  test("fails a run of all tests where CI is set, and nowhere else", () => {
    const search = { path: undefined, reasons: [] };
    expect(failuresFor(search, { CI: "true" })).toEqual(["there is no browser, though CI is set"]);
    for (const environment of [{}, { CI: "" }]) expect(failuresFor(search, environment)).toEqual([]);
    expect(failuresFor({ path: "/asked", origin: "CHROMIUM_PATH" }, { CI: "true" })).toEqual([]);
  });

  test("skips the tests that need one, whose names say how to have it", async () => {
    const command = [process.execPath, "test", "./test/browser/layout.test.ts"];
    const environment = { CHROMIUM_PATH: "none" };
    const job = { name: "layout", command, folder: projectFolder, environment, hasTests: true };
    const { skipped, passed, failed } = await runJobs([job], atMost(1), () => {});
    expect({ passed, failed }).toEqual({ passed: 0, failed: [] });
    const reason = "there is no browser: install chromium or Google Chrome, or set CHROMIUM_PATH to the path of one";
    expect(skipped.length).toBeGreaterThan(0);
    for (const name of skipped) expect(name).toEndWith(` (skipped: ${reason})`);
  });
});

test("what Playwright has downloaded is found on every platform, the newest first", () => {
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
  expect(browsersIn(folder.path)).toEqual(paths);
});

test("a distribution is known by its id and those that it is like", () => {
  expect(distributionsIn('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n')).toEqual([
    "linuxmint",
    "ubuntu",
    "debian",
  ]);
  expect(distributionsIn("")).toEqual([]);
});
