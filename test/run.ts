import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs everything that must hold before a change may land, and ends with one line that counts it. */
const folder = join(import.meta.dir, "..");
const report = join(tmpdir(), `animal-store-report-${process.pid}.xml`);

const tsc = join(folder, "node_modules/.bin/tsc");
const checks = [
  ["that the pages can be built", process.execPath, "scripts/build-pages.ts"],
  ["types", tsc],
  ["types of the console", tsc, "-p", "src/console"],
  ["types of the reference", tsc, "-p", "src/reference"],
  ["types of the tests in a browser", tsc, "-p", "test/browser"],
  ["lint and format", join(folder, "node_modules/.bin/biome"), "check", "--error-on-warnings", "."],
] as const;

let passed = 0;
let failed = 0;
for (const [name, ...command] of checks) {
  console.log(`Checking ${name}`);
  if (await succeeds(command)) passed++;
  else failed++;
}

let skipped = 0;
await runTests("on SQLite", {}, "src", "test");
await runTests("of the interface on PostgreSQL", { TEST_ENGINE: "postgres" }, "test/http");

console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 ? 0 : 1);

async function runTests(name: string, environment: Record<string, string>, ...places: string[]): Promise<void> {
  console.log(`\nTests ${name}`);
  const flags = ["--timeout=30000", "--reporter=junit", `--reporter-outfile=${report}`];
  const succeeded = await succeeds([process.execPath, "test", ...flags, ...places], environment);
  const counts = await countsOf(report);
  rmSync(report, { force: true });
  passed += counts.tests - counts.failures - counts.skipped;
  failed += counts.failures;
  skipped += counts.skipped;
  // A run that ended badly without naming a test, as a crash does, must not look like one that went well.
  if ((!succeeded && counts.failures === 0) || counts.tests === 0) failed++;
}

async function succeeds(command: readonly string[], environment: Record<string, string> = {}): Promise<boolean> {
  const env = { ...process.env, ...environment };
  return (await Bun.spawn([...command], { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] }).exited) === 0;
}

async function countsOf(path: string): Promise<{ tests: number; failures: number; skipped: number }> {
  const file = Bun.file(path);
  const [root = ""] = (await file.exists()) ? (/<testsuites[^>]*>/.exec(await file.text()) ?? []) : [];
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  return { tests: count("tests"), failures: count("failures"), skipped: count("skipped") };
}
