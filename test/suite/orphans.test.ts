import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { serversFolderVariable } from "../support/postgres.ts";
import { isRunning } from "../support/processes.ts";
import { LineReader, projectFolder } from "../support/program.ts";
import { removeOrphanedFolders, temporaryFolder } from "../support/temporary.ts";

const { scripts } = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

test.each(["test", "fuzz", "bench", "soak"])(
  "npm run %s starts bun directly, so that bun ends with npm and ends its children",
  (name) => {
    expect(scripts[name]).toMatch(/^exec (env .* )?bun --no-orphans /);
  },
);

test.each(["the run", "the process that started the run"])(
  "no process of a run survives when %s is killed",
  async (killedProcess) => {
    using folder = temporaryFolder();
    const postgresModule = join(projectFolder, "test/support/postgres.ts");
    const jobsModule = join(projectFolder, "test/suite/run-jobs.ts");
    const concurrencyModule = join(projectFolder, "test/suite/concurrency.ts");
    const jobFile = join(folder.path, "job.ts");
    writeFileSync(
      jobFile,
      `const child = Bun.spawn(["sleep", "1000"]);
       await Bun.write("started", [process.pid, child.pid].join(" "));
       await child.exited;`,
    );
    const runFile = join(folder.path, "run.ts");
    writeFileSync(
      runFile,
      `import { PostgresServer } from ${JSON.stringify(postgresModule)};
       import { runJobs } from ${JSON.stringify(jobsModule)};
       import { allowAtMost } from ${JSON.stringify(concurrencyModule)};
       const server = await PostgresServer.start();
       const command = [process.execPath, ${JSON.stringify(jobFile)}];
       runJobs([{ name: "job", command, folder: ${JSON.stringify(folder.path)}, hasTests: false }], allowAtMost(1), () => {});
       const started = () => Bun.file("started").text().catch(() => "");
       while ((await started()) === "") await Bun.sleep(10);
       console.log("run", process.pid, server.pid, await started());`,
    );
    const starter = Bun.spawn(["sh", "-c", `"$0" --no-orphans "$1"; true`, process.execPath, runFile], {
      cwd: folder.path,
      // The inner run must not use the servers of the suite.
      env: { ...process.env, [serversFolderVariable]: undefined },
      stdout: "pipe",
      stderr: "inherit",
    });
    const line = await new LineReader(starter.stdout).until(/^run/);
    const [pid = 0, ...started] = line.trim().split(" ").slice(1).map(Number);
    expect(started).toHaveLength(3);
    process.kill(killedProcess === "the run" ? pid : starter.pid, "SIGKILL");
    while ([pid, ...started].some(isRunning)) await Bun.sleep(10);
    const findRemainingFolders = () => [
      ...new Bun.Glob(`animal-store-*-${pid}-*`).scanSync({ cwd: tmpdir(), onlyFiles: false }),
    ];
    expect(findRemainingFolders()).not.toEqual([]);
    // Repeats the cleanup, because the parent may not have reaped the ended process yet.
    for (removeOrphanedFolders(); findRemainingFolders().length > 0; removeOrphanedFolders()) await Bun.sleep(10);
  },
);

test("only temporary folders of ended processes are removed", () => {
  using ownFolder = temporaryFolder();
  const orphanedFolder = join(tmpdir(), basename(ownFolder.path).replace(String(process.pid), "999999999"));
  mkdirSync(orphanedFolder);
  writeFileSync(join(orphanedFolder, "file"), "");
  removeOrphanedFolders();
  expect([ownFolder.path, orphanedFolder].map((path) => existsSync(path))).toEqual([true, false]);
});
