import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../support/processes.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { allowAtMost } from "./concurrency.ts";
import { type Job, runJobs } from "./run-jobs.ts";

const imports = 'import { afterAll, describe, expect, test } from "bun:test";\n';

async function runFiles(files: Readonly<Record<string, string>>, workers = 2) {
  using folder = temporaryFolder();
  const jobs: Job[] = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder.path, `${name}.test.ts`), imports + content);
    const command = [process.execPath, "test", `./${name}.test.ts`];
    return { name, command, folder: folder.path, hasTests: true };
  });
  const printed: string[] = [];
  const total = await runJobs(jobs, allowAtMost(workers), (text) => printed.push(text));
  return { ...total, printed };
}

test("passed tests are counted, and failed and skipped tests are named", async () => {
  const { passed, failed, skipped } = await runFiles({
    good: 'test("one", () => {}); test("two", () => {});',
    mixed: `describe("a <group> & more", () => {
      test("good", () => {});
      test("bad", () => expect("a\\nb").toBe("<c/>"));
      test.skip("left out (skipped: for \\"this\\")", () => {});
    });`,
  });
  expect(passed).toBe(3);
  expect(failed).toEqual(["mixed: a <group> & more > bad"]);
  expect(skipped).toEqual(['mixed: a <group> & more > left out (skipped: for "this")']);
});

test.each([
  ["that crashes", 'test("one", () => process.kill(process.pid, "SIGKILL"));', "it ended with SIGKILL"],
  ["that ends early", 'test("one", () => process.exit(0));', "no test was run"],
  ["that cannot be loaded", 'import "./nowhere.ts";', "it ended with 1"],
  ["without a test", "", "no test was run"],
  ["that fails outside of its tests", 'test("one", () => {}); afterAll(() => { throw 1; });', ""],
])("a file %s counts as failed", async (_, content, reason) => {
  const { failed } = await runFiles({ file: content });
  expect(failed).toHaveLength(1);
  expect(failed[0]).toStartWith("file: ");
  if (reason) expect(failed[0]).toContain(reason);
});

test("a job without tests passes or fails as a whole", async () => {
  const check = (name: string, ...command: string[]): Job => ({ name, command, folder: ".", hasTests: false });
  const total = await runJobs(
    [check("good", "true"), check("bad", "sh", "-c", "exit 3"), check("missing", "/no/such/program")],
    allowAtMost(2),
    () => {},
  );
  expect(total.passed).toBe(1);
  expect(total.failed.toSorted()).toEqual(["bad: it ended with 3", expect.stringMatching(/^missing: .*ENOENT/)]);
});

test("the output of a job is shown only if the job failed, and in one piece", async () => {
  const lines = (name: string, end: string) =>
    `test("one", async () => { for (let line = 0; line < 5; line++) { console.log("from", "${name}"); await Bun.sleep(1); } ${end} });`;
  const { printed } = await runFiles({
    one: lines("one", "throw new Error();"),
    two: lines("two", "throw new Error();"),
    quiet: lines("a good one", ""),
  });
  const text = printed.join("\n");
  expect(text).not.toContain("from a good one");
  expect(printed.filter((piece) => piece.includes("from one") && piece.includes("from two"))).toEqual([]);
  expect(text.match(/from (one|two)/g)).toHaveLength(10);
  expect(printed.filter((piece) => /^(ok|FAILED) /.test(piece))).toHaveLength(3);
});

test("as many jobs run concurrently as the limit allows", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "there"));
  const awaitBoth = 'touch "there/$0"; until [ "$(ls there | wc -l)" -eq 2 ]; do sleep 0.01; done';
  const jobs = ["one", "two"].map((name) => {
    return { name, command: ["sh", "-c", awaitBoth, name], folder: folder.path, hasTests: false };
  });
  const { passed, durations } = await runJobs(jobs, allowAtMost(2), () => {});
  expect(passed).toBe(2);
  expect(Object.keys(durations).toSorted()).toEqual(["one", "two"]);
});

test("no job starts while the limit is reached", async () => {
  using folder = temporaryFolder();
  // `mkdir` fails if another job is running, because that job has made the folder.
  const failIfConcurrent = "mkdir busy && sleep 0.05 && rmdir busy";
  const jobs = ["one", "two", "three"].map((name) => {
    return { name, command: ["sh", "-c", failIfConcurrent], folder: folder.path, hasTests: false };
  });
  const { passed, failed } = await runJobs(jobs, allowAtMost(1), () => {});
  expect({ passed, failed }).toEqual({ passed: 3, failed: [] });
});

test("processes that a job leaves running are killed when the job ends", async () => {
  using folder = temporaryFolder();
  const job = {
    name: "job",
    command: ["sh", "-c", "sleep 1000 & echo $! > pid"],
    folder: folder.path,
    hasTests: false,
  };
  expect((await runJobs([job], allowAtMost(1), () => {})).passed).toBe(1);
  const pid = Number(await Bun.file(join(folder.path, "pid")).text());
  while (isRunning(pid)) await Bun.sleep(1);
});
