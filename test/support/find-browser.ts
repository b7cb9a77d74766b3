import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

/** The environment variable with the path of a Chromium or Chrome for the tests, or `none` to run without one. */
export const browserVariable = "CHROMIUM_PATH";

const installationAdvice = `install chromium or Google Chrome, or set ${browserVariable} to the path of one`;

export interface FoundBrowser {
  readonly path: string;
  readonly origin: string;
}

/** The browser, or the reasons why no source has a browser. */
export type Search = FoundBrowser | { readonly path: undefined; readonly reasons: readonly string[] };

export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  readonly isRoot: boolean;
  find(program: string): string | null;
  /** Returns the browsers that Playwright has downloaded before, the newest first. */
  listDownloads(): readonly string[];
  unpackFromNpm(): Promise<string>;
  downloadWithPlaywright(): Promise<void>;
  installWithApt(): Promise<void>;
  /** Starts a browser and closes it. Throws if the browser does not start. */
  requireLaunchable(path: string): Promise<void>;
}

/** Finds a browser that starts, cheap sources first. Throws if the configured browser does not start. */
export async function findBrowser(machine: Machine, announce: (text: string) => void = () => {}): Promise<Search> {
  const configured = findConfiguredBrowser(machine.environment);
  if (configured?.path)
    await machine.requireLaunchable(configured.path).catch((error) => throwBrowserError(configured, error));
  if (configured) return configured;
  const reasons: string[] = [];
  for (const { origin, findPaths, announcement } of listSources(machine)) {
    if (announcement) announce(announcement);
    try {
      for (const path of await findPaths()) {
        try {
          await machine.requireLaunchable(path);
          return { path, origin };
        } catch (error) {
          reasons.push(`${path} does not start: ${firstLineOf(error)}`);
        }
      }
    } catch (error) {
      reasons.push(`none could be ${origin}: ${firstLineOf(error)}`);
    }
  }
  return { path: undefined, reasons };
}

export function describeSearch(search: Search): string {
  if (search.path !== undefined) return `Browser: ${search.path} (${search.origin})`;
  return `No browser: ${search.reasons.join("; ")}. To have one, ${installationAdvice}.`;
}

export function browserSkipReason({ path }: Search): string | undefined {
  return path === undefined ? `there is no browser: ${installationAdvice}` : undefined;
}

/** Returns the failures of a run of all tests: if CI is set, a missing browser is a failure. */
export function findCiFailures({ path }: Search, environment: Machine["environment"]): string[] {
  return path === undefined && environment["CI"] ? ["there is no browser, though CI is set"] : [];
}

export function findConfiguredBrowser(environment: Machine["environment"]): Search | undefined {
  const value = environment[browserVariable];
  if (!value) return undefined;
  if (value === "none") return { path: undefined, reasons: [`${browserVariable} is none`] };
  return { path: value, origin: browserVariable };
}

export function throwBrowserError({ path, origin }: FoundBrowser, error: unknown): never {
  throw new Error(`The browser at ${path} (${origin}) does not start: ${firstLineOf(error)}`);
}

interface Source {
  readonly origin: string;
  readonly announcement?: string;
  readonly findPaths: () => readonly string[] | Promise<readonly string[]>;
}

/** Programs in order of preference. Headless shells come first, because they run the tests in two thirds of the time. */
const programs = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
const macPrograms = ["Google Chrome", "Chromium", "Google Chrome for Testing"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

function* listSources(machine: Machine): Iterable<Source> {
  const { platform, arch } = machine;
  const names = [...programs, ...(platform === "darwin" ? macPrograms : [])];
  const findInstalled = () => names.map((name) => machine.find(name)).filter((path) => path !== null);
  yield { origin: "installed", findPaths: findInstalled };
  yield { origin: "downloaded by Playwright", findPaths: () => machine.listDownloads() };
  if (platform === "linux" && arch === "x64") {
    yield {
      origin: "unpacked from the npm package @sparticuz/chromium",
      findPaths: async () => [await machine.unpackFromNpm()],
    };
  }
  yield {
    origin: "downloaded by Playwright",
    announcement: "No browser is installed, so Playwright is asked to download one",
    async findPaths() {
      await machine.downloadWithPlaywright();
      return machine.listDownloads();
    },
  };
  // On Linux for ARM, the only source besides Playwright's downloads, because npm has no browser for ARM.
  if (machine.isRoot && machine.find("apt-get")) {
    yield {
      origin: "installed by apt-get",
      announcement: "No browser could be downloaded, so apt-get is asked to install chromium",
      async findPaths() {
        await machine.installWithApt();
        return findInstalled();
      },
    };
  }
}

const minuteMs = 60_000;

export const thisMachine: Machine = {
  environment: process.env,
  platform: process.platform,
  arch: process.arch,
  isRoot: process.getuid?.() === 0,
  find: (program) => Bun.which(program),
  listDownloads() {
    const [folder] = /^.*(?=[\\/]chromium-\d+[\\/])/.exec(chromium.executablePath()) ?? [];
    return folder && existsSync(folder) ? listBrowsers(folder) : [];
  },
  async unpackFromNpm() {
    const folder = join(import.meta.dir, "../../node_modules/.cache/animal-store/chromium");
    if (!existsSync(folder)) await unpackInto(folder);
    return join(folder, "chromium");
  },
  async downloadWithPlaywright() {
    const cli = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
    const args = [cli, "install", "--only-shell", "--no-progress", "chromium"];
    await promisify(execFile)("node", args, { timeout: 3 * minuteMs });
  },
  async installWithApt() {
    await runApt(["update"]);
    const install = (browser: string) =>
      runApt(["install", "-y", "--no-install-recommends", browser, "fonts-liberation"]);
    // Not every release of the distribution has the smaller package.
    await install("chromium-headless-shell").catch(() => install("chromium"));
  },
  async requireLaunchable(path) {
    await (await chromium.launch({ executablePath: path, timeout: minuteMs })).close();
  },
};

async function runApt(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await promisify(execFile)("apt-get", ["-q", ...args], { env, timeout: 10 * minuteMs });
}

/** Unpacks the npm package's browser into its own folder: in a shared folder, the package would reuse an incomplete file. */
async function unpackInto(folder: string): Promise<void> {
  const { default: npmChromium } = await import("@sparticuz/chromium");
  mkdirSync(dirname(folder), { recursive: true });
  const partialFolder = mkdtempSync(`${folder}-`);
  const temporaryFolder = process.env["TMPDIR"];
  process.env["TMPDIR"] = partialFolder;
  try {
    await npmChromium.executablePath();
    renameSync(partialFolder, folder);
  } catch (error) {
    // Another process may have unpacked the browser first.
    if (!existsSync(folder)) throw error;
  } finally {
    if (temporaryFolder === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporaryFolder;
    rmSync(partialFolder, { recursive: true, force: true });
  }
}

/** Returns the browsers in Playwright's folder, which has one folder per revision, the newest first. */
export function listBrowsers(folder: string): string[] {
  const names = "{chrome,chrome-headless-shell,headless_shell,Chromium,Google Chrome for Testing}";
  const browserPaths = [...new Bun.Glob(`{chromium,chromium_headless_shell}-*/**/${names}`).scanSync({ cwd: folder })];
  const revisionOf = (path: string) => Number(/-(\d+)/.exec(path)?.[1]);
  return browserPaths.sort((one, other) => revisionOf(other) - revisionOf(one)).map((path) => join(folder, path));
}

function firstLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}
