import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { serversFolderVariable } from "../support/postgres.ts";
import { isRunning } from "../support/processes.ts";
import { LineReader, projectFolder } from "../support/program.ts";
import { clearTemporaryFolders, temporaryFolder } from "../support/temporary.ts";

const { scripts } = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

test.each(["test", "fuzz", "bench", "soak"])(
  "npm run %s is bun itself, which ends with npm and takes all along",
  (name) => {
    expect(scripts[name]).toMatch(/^exec (env .* )?bun --no-orphans /);
  },
);

test.each(["the run", "the process that started the run"])(
  "nothing that a run has started outlives it: %s is killed",
  async (which) => {
    using folder = temporaryFolder();
    const postgres = join(projectFolder, "test/support/postgres.ts");
    const jobs = join(projectFolder, "test/suite/run-jobs.ts");
    const room = join(projectFolder, "test/suite/room.ts");
    const job = join(folder.path, "job.ts");
    writeFileSync(
      job,
      `const child = Bun.spawn(["sleep", "1000"]);
       await Bun.write("started", [process.pid, child.pid].join(" "));
       await child.exited;`,
    );
    const run = join(folder.path, "run.ts");
    writeFileSync(
      run,
      `import { PostgresServer } from ${JSON.stringify(postgres)};
       import { runJobs } from ${JSON.stringify(jobs)};
       import { atMost } from ${JSON.stringify(room)};
       const server = await PostgresServer.start();
       const command = [process.execPath, ${JSON.stringify(job)}];
       runJobs([{ name: "job", command, folder: ${JSON.stringify(folder.path)}, hasTests: false }], atMost(1), () => {});
       const started = () => Bun.file("started").text().catch(() => "");
       while ((await started()) === "") await Bun.sleep(10);
       console.log("run", process.pid, server.pid, await started());`,
    );
    const starter = Bun.spawn(["sh", "-c", `"$0" --no-orphans "$1"; true`, process.execPath, run], {
      cwd: folder.path,
      // On its own, and not in what the suite has prepared.
      env: { ...process.env, [serversFolderVariable]: undefined },
      stdout: "pipe",
      stderr: "inherit",
    });
    const line = await new LineReader(starter.stdout).until(/^run/);
    const [pid = 0, ...started] = line.trim().split(" ").slice(1).map(Number);
    expect(started).toHaveLength(3);
    process.kill(which === "the run" ? pid : starter.pid, "SIGKILL");
    while ([pid, ...started].some(isRunning)) await Bun.sleep(10);
    const left = () => [...new Bun.Glob(`animal-store-*-${pid}-*`).scanSync({ cwd: tmpdir(), onlyFiles: false })];
    expect(left()).not.toEqual([]);
    // Somebody may still have to wait for the process that has ended.
    for (clearTemporaryFolders(); left().length > 0; clearTemporaryFolders()) await Bun.sleep(10);
  },
);

test("what is cleared away belongs to a process that is gone", () => {
  using own = temporaryFolder();
  // Process ids end long before this one.
  const ofGone = join(tmpdir(), basename(own.path).replace(String(process.pid), "999999999"));
  mkdirSync(ofGone);
  writeFileSync(join(ofGone, "file"), "");
  clearTemporaryFolders();
  expect([own.path, ofGone].map((path) => existsSync(path))).toEqual([true, false]);
});
