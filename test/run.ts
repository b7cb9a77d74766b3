import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allowWhileIdle } from "./suite/concurrency.ts";
import { isForBothEngines } from "./suite/engines.ts";
import { groupFiles } from "./suite/groups.ts";
import { type Durations, sortByDescendingDuration } from "./suite/order.ts";
import { type Job, killJobs, runJobs, type Total } from "./suite/run-jobs.ts";
import { suiteWriterVariable } from "./support/bundled-writer.ts";
import { sharedServerVariable, startSharedServer } from "./support/database.ts";
import { clearEnvironment } from "./support/environment.ts";
import { browserVariable, describeSearch, findBrowser, findCiFailures, thisMachine } from "./support/find-browser.ts";
import { makeServersFolder, serversFolderVariable } from "./support/postgres.ts";
import { suiteProgramVariable } from "./support/program.ts";
import { findMemoryFolder, makeTemporaryFolder, removeOrphanedFolders } from "./support/temporary.ts";
import { testLimitMs } from "./support/time-limit.ts";

/** Runs all checks and tests that a change must pass, and ends with one line of counts. */
const folder = join(import.meta.dir, "..");
const durationsFile = join(folder, "node_modules/.cache/animal-store/test-durations.json");

removeOrphanedFolders();
const search = await findBrowser(thisMachine, console.log).catch((error: Error) => {
  console.log(`${error.message}\n\n0 passed, 1 failed`);
  process.exit(1);
});
console.log(describeSearch(search));
// Called after the search for a browser, because the search may need the proxy variables that this call removes.
clearEnvironment();

const startingServers = startServers();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    killJobs();
    await endServers();
    process.exit(1);
  });
}
const programFolder = makeTemporaryFolder("program");
// Some tests run the program as another user.
chmodSync(programFolder, 0o755);
const programFile = join(programFolder, "animal-store");
const writerBundle = join(programFolder, "writer-worker.js");
const writerFile = "src/store/sqlite/writer/writer-worker.ts";
/** The test that runs every command from the sources, because most other tests run the executable. */
const sourceTestFile = "test/program/every-command.test.ts";

/** Disables the last stage of the runtime's compiler, and the return of memory to the system: a short process gains from neither. */
const runtimeSettings = { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" };

/** A folder in memory for the files of browsers, which take 10 % of the time on a disk. On macOS, paths of sockets would be too long. */
const browserFolder = process.platform === "linux" ? makeTemporaryFolder("browser", findMemoryFolder()) : tmpdir();

type Environment = Readonly<Record<string, string>>;

const canStart = allowWhileIdle();
const parts: Total[] = [];
// The pages, the client and the program are built before the tests that use them; the program contains the pages.
for (const jobs of [
  () => [
    createCheck("the pages can be built", process.execPath, "scripts/build-pages.ts"),
    createCheck("the client can be built", process.execPath, "scripts/build-client.ts"),
    createCheck(
      "the writer can be built",
      process.execPath,
      "build",
      writerFile,
      "--target=bun",
      `--outfile=${writerBundle}`,
    ),
  ],
  () => [createCheck("the program can be built", process.execPath, "scripts/build-executable.ts", programFile)],
  async () => [...createChecks(), ...createTestJobs(await createTestEnvironment())],
]) {
  parts.push(await runJobs(await jobs(), canStart, console.log));
}
await endServers();
rmSync(programFolder, { recursive: true, force: true });
if (browserFolder !== tmpdir()) rmSync(browserFolder, { recursive: true, force: true });
writeDurations(Object.assign({ ...readDurations() }, ...parts.map(({ durations }) => durations)));

const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = [...parts.flatMap((part) => part.failed), ...findCiFailures(search, process.env)];
const skipped = parts.flatMap((part) => part.skipped);
printList("Skipped", skipped);
printList("Failed", failed);
if (!search.path) console.log(`\n${describeSearch(search)}`);
console.log(`\n${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
process.exit(failed.length === 0 ? 0 : 1);

/** Starts the servers that the tests share. If one does not start, each test that needs it fails and says why. */
async function startServers() {
  const folder = await makeServersFolder().catch(() => undefined);
  if (folder) process.env[serversFolderVariable] = folder;
  return { folder, shared: await startSharedServer().catch(() => undefined) };
}

async function endServers(): Promise<void> {
  const { folder, shared } = await startingServers;
  await shared?.[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true, force: true });
}

async function createTestEnvironment(): Promise<Environment> {
  const { shared } = await startingServers;
  return {
    ...runtimeSettings,
    [suiteProgramVariable]: programFile,
    [suiteWriterVariable]: writerBundle,
    [browserVariable]: search.path ?? "none",
    ...(shared && { [sharedServerVariable]: JSON.stringify({ port: shared.port, socketFolder: shared.socketFolder }) }),
  };
}

function createChecks(): Job[] {
  const tools = join(folder, "node_modules/.bin");
  // Each thread of the compiler would read the same files again, and the cores have other jobs.
  const typeCheck = [join(tools, "tsc"), "--singleThreaded"];
  return [
    createCheck("types", ...typeCheck),
    createCheck("types of the browser code and its tests", ...typeCheck, "-p", "tsconfig.browser.json"),
    createCheck("lint and format", join(tools, "biome"), "check", "--error-on-warnings", "."),
  ];
}

function createCheck(name: string, ...command: string[]): Job {
  return { name, command, folder, hasTests: false };
}

/** Returns the jobs of all test files, and the jobs that run API tests on PostgreSQL as well. */
function createTestJobs(environment: Environment): Job[] {
  const files = [...new Bun.Glob("{src,packages,test}/**/*.test.{ts,tsx}").scanSync(folder)].sort();
  const postgres = { ...environment, TEST_ENGINE: "postgres" };
  const postgresJobs = createJobs(files.filter(isForBothEngines), postgres);
  const jobs = [
    ...createJobs(files, environment),
    ...postgresJobs.map((job) => ({ ...job, name: `${job.name} on PostgreSQL` })),
  ];
  return sortByDescendingDuration(jobs, readDurations());
}

function createJobs(files: readonly string[], environment: Environment) {
  const groups = groupFiles(files, (file) => readFileSync(join(folder, file), "utf8"), [sourceTestFile]);
  return groups.map(({ name, files, source }) => {
    // The limit that the preloaded file sets applies only to the first file.
    const command = [process.execPath, "test", "--timeout", String(testLimitMs), ...files.map((file) => `./${file}`)];
    const ownEnvironment = {
      ...(name.startsWith("test/browser/") && { TMPDIR: browserFolder }),
      ...(name === sourceTestFile && { [suiteProgramVariable]: "" }),
    };
    return { name, source, command, folder, environment: { ...environment, ...ownEnvironment }, hasTests: true };
  });
}

function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8"));
  } catch {
    return {};
  }
}

function writeDurations(durations: Durations): void {
  mkdirSync(dirname(durationsFile), { recursive: true });
  writeFileSync(durationsFile, JSON.stringify(durations));
}

function printList(title: string, names: readonly string[]): void {
  if (names.length > 0) console.log(`\n${title}:\n${names.map((name) => `  ${name}`).join("\n")}`);
}
