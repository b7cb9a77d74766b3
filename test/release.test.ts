import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "./support/conditional-test.ts";
import { projectFolder } from "./support/program.ts";
import { temporaryFolder } from "./support/temporary.ts";

const gitSkipReason = existsSync(join(projectFolder, ".git")) ? undefined : "these files are not in a git repository";
const { version } = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8"));
const changelog = readFileSync(join(projectFolder, "CHANGELOG.md"), "utf8");
const [, lastRelease = ""] = /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m.exec(changelog) ?? [];

testUnless(gitSkipReason, "the release script lists what prevents a release, or else the remaining steps", () => {
  using folder = temporaryFolder();
  const clone = join(folder.path, "project");
  const run = (command: string, ...args: string[]) => {
    const identity = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    const env = { ...process.env, ...Object.fromEntries(identity.map((name) => [name, "a@b.test"])) };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: clone, encoding: "utf8", env });
    return { status, stdout, stderr };
  };
  const commit = () => {
    expect(run("git", "add", "--all").status).toBe(0);
    expect(run("git", "commit", "--no-verify", "--allow-empty", "--message", "Release").status).toBe(0);
  };
  const release = () => run(process.execPath, "scripts/release.ts");
  expect(spawnSync("git", ["clone", "--no-tags", projectFolder, clone]).status).toBe(0);
  symlinkSync(join(projectFolder, "node_modules"), join(clone, "node_modules"));
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");

  const change = (file: string, from: string, to: string) =>
    writeFileSync(join(clone, file), readFileSync(join(clone, file), "utf8").replaceAll(from, to));
  const history = changelog.slice(changelog.search(/^## \d/m));
  const writeChangelog = (newest: string) => writeFileSync(join(clone, "CHANGELOG.md"), `${newest}\n\n${history}`);
  writeChangelog("## Unreleased");
  change("package.json", `"version": "${version}"`, '"version": "77.0.0"');
  expect(run("git", "tag", "v77.0.0").status).toBe(0);
  expect(release()).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `${[
      `package-lock.json has the version ${version}, package.json 77.0.0.`,
      'CHANGELOG.md has nothing under "## 77.0.0 (date)".',
      'CHANGELOG.md still has the heading "## Unreleased".',
      "packaging/Dockerfile does not name animal-store:77.0.0.",
      "packaging/compose.yaml does not name animal-store:77.0.0.",
      "packaging/kubernetes.yaml does not name animal-store:77.0.0.",
      "there are uncommitted changes.",
      "the tag v77.0.0 already exists; set a new version.",
      "released/ does not match this commit: run npm run keep-release, and commit it.",
    ]
      .map((problem) => `Not ready: ${problem}`)
      .join("\n")}\n`,
  });

  change("package-lock.json", `"version": "${version}"`, '"version": "77.0.0"');
  writeChangelog("## 77.0.0 (2077-01-01)\n\n- Everything.");
  for (const file of ["Dockerfile", "compose.yaml", "kubernetes.yaml"])
    change(`packaging/${file}`, `animal-store:${version}`, "animal-store:77.0.0");
  expect(run("git", "tag", "--delete", "v77.0.0").status).toBe(0);
  expect(run(process.execPath, "scripts/keep-release.ts").status).toBe(0);
  commit();
  const ready = release();
  expect([ready.status, ready.stderr]).toEqual([0, ""]);
  expect(ready.stdout).toStartWith("This commit can be released as 77.0.0.\nWould run the tests: npm test\n");
  expect(ready.stdout).toContain("git tag -a v77.0.0 -m");
  expect(run("git", "status", "--porcelain").stdout).toBe("");
});

test("the folder released/ contains the newest release in the changelog", () => {
  const { stdout } = spawnSync(process.execPath, [join(projectFolder, "released/program/main.js"), "--version"]);
  expect(stdout.toString()).toBe(`${lastRelease}\n`);
});

test("the version is higher than that of the last release if and only if the changelog has an Unreleased section", () => {
  const order = Bun.semver.order(version, lastRelease);
  expect(order).toBe(/^## Unreleased$/m.test(changelog) ? 1 : 0);
});
