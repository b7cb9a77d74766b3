import { expect } from "bun:test";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../support/conditional-test.ts";
import { findProgram } from "../support/external-program.ts";
import { projectFolder, RunningProgram, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const { platform, arch } = process;
const packaged = join(projectFolder, `node_modules/@flydotio/litestream-${platform}-${arch}/litestream`);
const litestream = existsSync(packaged) ? packaged : findProgram("litestream");
const litestreamSkipReason = litestream
  ? undefined
  : "npm has no Litestream for this platform: install it, or give its path in LITESTREAM_PATH";

testUnless(
  litestreamSkipReason,
  "Litestream replicates every animal although Litestream and the service are killed in turn, and the restored store passes the check",
  async () => {
    using folder = temporaryFolder();
    const resolvePath = (name: string) => join(folder.path, name);
    const replica = { type: "file", path: resolvePath("replica"), "sync-interval": "100ms" };
    // JSON is YAML, too.
    writeFileSync(
      resolvePath("litestream.yml"),
      JSON.stringify({ dbs: [{ path: resolvePath("animals.db"), replicas: [replica] }] }),
    );
    const log = openSync(resolvePath("log"), "a");
    const run = (...args: string[]) => {
      const [verb = "", ...rest] = args;
      return Bun.spawn([litestream ?? "", verb, "-config", resolvePath("litestream.yml"), ...rest], {
        stdout: log,
        stderr: log,
      });
    };
    const serve = () => RunningProgram.start(resolvePath("animals.db"), { stderr: log });

    let program = await serve();
    let replicating = run("replicate");
    let count = 0;
    const create = async () => {
      const pets = Array.from({ length: 500 }, (_, index) => ({ name: `Rex ${index}`, categoryId: index }));
      expect((await program.client.call("/v1/pets:batch", { body: { pets } })).status).toBe(200);
      count += pets.length;
    };
    let restoreCount = 0;
    /** Restores until the copy has all animals, because Litestream copies animals only after their acknowledgement. */
    const restoreAll = async (): Promise<string> => {
      const file = resolvePath(`restored-${restoreCount++}.db`);
      await run("restore", "-o", file, resolvePath("animals.db")).exited;
      const { stdout } = await runProgram(["export", "--database", `sqlite:${file}`, "--format", "ndjson"]);
      return stdout.split("\n").length - 1 === count ? file : await restoreAll();
    };
    try {
      for (let round = 0; round < 6; round++) {
        // Exceeds the size of the WAL at which the service checkpoints the WAL into the database file.
        for (let batch = 0; batch < 8; batch++) await create();
        if (round % 2 === 0) {
          await program.signal("SIGKILL");
          program = await serve();
        } else {
          replicating.kill("SIGKILL");
          await replicating.exited;
          await create();
          replicating = run("replicate");
        }
        await create();
        const check = await runProgram(["check", "--replay", "--database", `sqlite:${await restoreAll()}`]);
        expect(check).toMatchObject({ exitCode: 0 });
      }
    } finally {
      replicating.kill("SIGKILL");
      await program[Symbol.asyncDispose]();
    }
  },
);
