/**
 * Checks if this commit can be released, and lists the steps of the release. With `--make`, runs the tests, and writes the files to publish
 * and their checksums to `dist/release/`. The developer then tags and publishes the release.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { targets } from "./targets.ts";

const project = join(import.meta.dir, "..");
const folder = join(project, "dist/release");
const { version } = JSON.parse(read("package.json"));
const tag = `v${version}`;

const problems = findProblems();
for (const problem of problems) console.error(`Not ready: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`This commit can be released as ${version}.`);

const steps: readonly (readonly [string, () => void])[] = [
  ["run the tests: npm test", () => run("npm", "test")],
  ["build the executables, their licences and bill of materials", buildExecutables],
  [
    "build the npm packages",
    () => run("npm", "pack", "--include-workspace-root", "-w", "packages/client", "--pack-destination", folder),
  ],
  [`gather the files in ${folder}, with SHA256SUMS`, gatherFiles],
];
const isDryRun = !process.argv.includes("--make");
for (const [description, runStep] of steps) {
  console.log(`${isDryRun ? "Would" : "Now:"} ${description}`);
  if (!isDryRun) runStep();
}
console.log(`${isDryRun ? "Run it with --make to do so. Then" : "Remaining steps"}:

  git tag -a ${tag} -m "animal-store ${version}" && git push origin ${tag}
  docker buildx build -f packaging/Dockerfile --platform linux/amd64,linux/arm64 -t REGISTRY/animal-store:${version} --push .
  gh release create ${tag} dist/release/* --notes-file CHANGELOG.md

Then start the next version, as CONTRIBUTING.md says.`);

function findProblems(): string[] {
  const heading = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)\\n+[^#\\s]`, "m");
  const changelog = read("CHANGELOG.md");
  const lock = JSON.parse(read("package-lock.json"));
  return [
    /^\d+\.\d+\.\d+$/.test(version) ? [] : `${version} in package.json is not a version such as 1.0.0.`,
    lock.version === version ? [] : `package-lock.json has the version ${lock.version}, package.json ${version}.`,
    heading.test(changelog) ? [] : `CHANGELOG.md has nothing under "## ${version} (date)".`,
    /^## Unreleased$/m.test(changelog) ? 'CHANGELOG.md still has the heading "## Unreleased".' : [],
    ["packaging/Dockerfile", "packaging/compose.yaml", "packaging/kubernetes.yaml"]
      .filter((file) => !read(file).includes(`animal-store:${version}`))
      .map((file) => `${file} does not name animal-store:${version}.`),
    git("status", "--porcelain") === "" ? [] : "there are uncommitted changes.",
    git("tag", "--list", tag) === "" ? [] : `the tag ${tag} already exists; set a new version.`,
    isReleasedFolderCurrent() ? [] : "released/ does not match this commit: run npm run keep-release, and commit it.",
  ].flat();
}

function isReleasedFolderCurrent(): boolean {
  const freshFolder = mkdtempSync(join(tmpdir(), "animal-store-release-"));
  try {
    run(process.execPath, join(project, "scripts/keep-release.ts"), freshFolder);
    const files = readdirSync(freshFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.every(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const committedFile = path.replace(freshFolder, join(project, "released"));
      return existsSync(committedFile) && readFileSync(committedFile).equals(readFileSync(path));
    });
  } finally {
    rmSync(freshFolder, { recursive: true });
  }
}

function buildExecutables(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("npm", "run", "executable", "--", ...targets.flatMap((target) => ["--target", target]));
}

function gatherFiles(): void {
  const executables = targets.map((target) => `dist/animal-store-${target}`);
  for (const file of [...executables, "dist/THIRD-PARTY-NOTICES.txt", "dist/sbom.json", "openapi.json"])
    copyFileSync(join(project, file), join(folder, basename(file)));
  const hash = (file: string) => new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, file))).digest("hex");
  const sums = readdirSync(folder)
    .sort()
    .map((file) => `${hash(file)}  ${file}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
}

function read(file: string): string {
  return readFileSync(join(project, file), "utf8");
}

function git(...args: string[]): string {
  return run("git", ...args);
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}
