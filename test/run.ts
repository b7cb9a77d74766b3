import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs everything that must hold before a change may land, and ends with one line that counts it. */
const folder = join(import.meta.dir, "..");
const report = join(tmpdir(), `animal-store-report-${process.pid}.xml`);

const checks = [
  ["types", join(folder, "node_modules/.bin/tsc")],
  ["lint and format", join(folder, "node_modules/.bin/biome"), "check", "--error-on-warnings", "."],
] as const;

let passed = 0;
let failed = 0;
for (const [name, ...command] of checks) {
  console.log(`Checking ${name}`);
  if (await succeeds(command)) passed++;
  else failed++;
}

const succeeded = await succeeds([
  process.execPath,
  "test",
  "--timeout=30000",
  "--reporter=junit",
  `--reporter-outfile=${report}`,
  "src",
  "test",
]);
const { tests, failures, skipped } = await countsOf(report);
rmSync(report, { force: true });
passed += tests - failures - skipped;
failed += failures;
// A run that ended badly without naming a test, as a crash does, must not look like one that went well.
if (!succeeded && failures === 0) failed++;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 && tests > 0 ? 0 : 1);

async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await Bun.spawn([...command], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] }).exited) === 0;
}

async function countsOf(path: string): Promise<{ tests: number; failures: number; skipped: number }> {
  const file = Bun.file(path);
  const [root = ""] = (await file.exists()) ? (/<testsuites[^>]*>/.exec(await file.text()) ?? []) : [];
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  return { tests: count("tests"), failures: count("failures"), skipped: count("skipped") };
}
