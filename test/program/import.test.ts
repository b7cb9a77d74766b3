import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { lockFile } from "../../src/base/file-lock.ts";
import { maxRecordBytes } from "../../src/cli/catalogue/batches.ts";
import { linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { leavePartialFile } from "../support/partial-file.ts";
import {
  endBySignal,
  failure,
  programCommand,
  programInShell,
  programKey,
  RunningProgram,
  runProgram,
  spawn,
  spawnOnTerminal,
} from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const count = Number(process.env["IMPORT_ANIMALS"] ?? 4_000);
const statuses = ["available", "pending", "sold"] as const;
const names = ["Rex", "Mia 🐈", 'O"Neil, Jr.', "  Zoë ", "=1+1", "'; DROP TABLE pets; --"];

function makeAnimal(index: number) {
  const categoryId = index % 13 === 0 ? `${9223372036854775807n - BigInt(index)}` : String(index % 50);
  return { name: `${names[index % names.length]} ${index}`, categoryId, status: statuses[index % 3] };
}

function makeLine(index: number): string {
  const { name, categoryId, status } = makeAnimal(index);
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}\n`;
}

function withId(line: string, id: number): string {
  return line.replace("{", `{"id":${id},`);
}

const batchOfOne = `${'{"name":"Rex","categoryId":7}'.padEnd(maxRecordBytes)}\n`;

const makeLines = (total: number) => Array.from({ length: total }, (_, index) => makeLine(index));

/** Replaces the store with a new one, behind a service at the same URL. */
async function replaceStore({ service, database }: Awaited<ReturnType<typeof setUp>>): Promise<RunningProgram> {
  await service.signal("SIGTERM");
  const { address } = database;
  if (address.kind === "postgres") await database.run(`DROP SCHEMA ${address.schema} CASCADE`);
  else for (const suffix of ["", "-wal", "-shm"]) rmSync(`${address.path}${suffix}`, { force: true });
  return await RunningProgram.start(urlOf(database), { args: ["--log-level", "off"], port: service.client.url.port });
}

/** Locks the animals of a PostgreSQL database, and blocks inserts until `release` is called. */
async function lockAnimals({ address }: TestDatabase) {
  const { urls, schema } = address as PostgresAddress;
  const [holder, observer] = [new SQL({ url: urls[0], max: 1 }), new SQL({ url: urls[0], max: 1 })];
  const [{ pid }] = await holder.unsafe("SELECT pg_backend_pid() AS pid");
  await holder.unsafe(`BEGIN; LOCK TABLE ${schema}.pets IN EXCLUSIVE MODE`);
  const hasSession = async (condition: string) => {
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`;
    return (await observer.unsafe(sessions)).length > 0;
  };
  return {
    hasSession,
    untilBlocking: () => until(() => hasSession(`${pid} = ANY (pg_blocking_pids(pid))`)),
    release: () => holder.unsafe("COMMIT"),
    async [Symbol.asyncDispose]() {
      await holder.close();
      await observer.close();
    },
  };
}

async function setUp(engine: Engine = "sqlite") {
  const folder = temporaryFolder();
  const database = await makeDatabase(engine);
  const service = await RunningProgram.start(urlOf(database), { args: ["--log-level", "off"] });
  const environment = {
    HOME: folder.path,
    XDG_STATE_HOME: join(folder.path, "state"),
    ANIMAL_STORE_URL: service.client.url.href,
    ANIMAL_STORE_API_KEY: programKey,
  };
  return {
    service,
    database,
    environment,
    path: (name: string) => join(folder.path, name),
    write(name: string, text: string | Buffer) {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    },
    run: (args: readonly string[], stdin?: string) =>
      runProgram(args, { environment, ...(stdin !== undefined && { stdin }) }),
    checkpoints() {
      const imports = join(folder.path, "state/animal-store/imports");
      return readdirSync(imports).flatMap((name) => (name.endsWith(".lock") ? [] : [join(imports, name)]));
    },
    async exported() {
      const { stdout, stderr, exitCode } = await runProgram(["export"], { environment });
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const it = testWith(() => setUp());

const countAnimals = async (service: RunningProgram) => {
  const { json } = await service.client.call("/v1/store/inventory");
  return Object.values(json as Record<string, number>).reduce((sum, one) => sum + one);
};

describe.each<[Engine, Engine]>([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
])("from %s to %s", (fromEngine, toEngine) => {
  test.each(["service", "database"])(
    "a killed import through the %s resumes, and adds every exported animal once",
    async (target) => {
      await using from = await setUp(fromEngine);
      await using to = await setUp(toEngine);
      const lines = makeLines(count).join("");
      const file = from.write("a.ndjson", lines);
      expect(await from.run(["import", file, ...targetArgs(target, from.database)])).toMatchObject({ exitCode: 0 });
      const exported = from.path("b.csv");
      expect(await from.run(["export", exported, ...targetArgs(target, from.database)])).toMatchObject({ exitCode: 0 });

      const args = ["import", exported, ...targetArgs(target, to.database)];
      const killed = spawn(args, { environment: to.environment });
      await until(async () => killed.exitCode !== null || (await countAnimals(to.service)) >= count / 6);
      await endBySignal(killed, "SIGKILL");
      const done = await countAnimals(to.service);
      expect(done).toBeGreaterThan(0);
      expect(await to.run(args)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining("had been added before."),
      });

      const expected = makeLines(count).map((line, index) => withId(line, index + 1));
      // The animals are in the order of the file, but an aborted transaction on PostgreSQL leaves a gap in the ids.
      expect(withoutIds(await to.exported())).toBe(withoutIds(expected.join("")));
      expect(await from.exported()).toBe(expected.join(""));
      expect((await to.run(args)).stderr).toContain(`Added 0 animals. ${count} had been added before.`);
    },
  );
});

/** An import uses less than 150 MB; the margin allows for a slow garbage collector. */
const maxMemoryBytes = 190_000_000;

function withoutIds(lines: string): string {
  return lines.replaceAll(/^\{"id":\d+,/gm, "{");
}

function hasHandler(pid: number, signal: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return ((BigInt(`0x${/^SigCgt:\s*(\S+)$/m.exec(status)?.[1]}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

function targetArgs(target: string, database: TestDatabase): string[] {
  return target === "database" ? ["--database", urlOf(database)] : [];
}

describe.each<Engine>(["sqlite", "postgres"])("an import into a %s store that replaced another", (engine) => {
  test.each(["service", "database"])("an import through the %s into a replaced store starts over", async (target) => {
    await using at = await setUp(engine);
    const lines = makeLines(1_500);
    const args = ["import", at.write("a.ndjson", lines.join("")), ...targetArgs(target, at.database)];
    expect((await at.run(args)).stderr).toBe("Added 1500 animals.\n");
    expect((await at.run(args)).stderr).toBe("Added 0 animals. 1500 had been added before.\n");
    await using _ = await replaceStore(at);
    expect((await at.run(args)).stderr).toBe(
      "animal-store: The store may have been replaced or restored since this import was run, so it starts over.\nAdded 1500 animals.\n",
    );
    expect(await at.exported()).toBe(lines.map((line, index) => withId(line, index + 1)).join(""));
    expect((await at.run(args)).stderr).toBe("Added 0 animals. 1500 had been added before.\n");
  });
});

it("an import into a restored store adds only the missing animals", async (at) => {
  const lines = makeLines(2_500);
  const args = ["import", at.write("a.ndjson", lines.slice(0, 1_000).join(""))];
  await at.run(args);
  const database = ["--database", urlOf(at.database)];
  expect((await at.run(["backup", at.path("backup.db"), ...database])).exitCode).toBe(0);
  at.write("a.ndjson", lines.join(""));
  expect((await at.run(args)).stderr).toBe("Added 1500 animals. 1000 had been added before.\n");
  await at.service.signal("SIGTERM");
  expect((await at.run(["restore", at.path("backup.db"), "--replace", ...database])).exitCode).toBe(0);
  const { port } = at.service.client.url;
  await using _ = await RunningProgram.start(urlOf(at.database), { args: ["--log-level", "off"], port });
  expect((await at.run(args)).stderr).toEndWith("Added 1500 animals. 1000 had been added before.\n");
  expect(await at.exported()).toBe(lines.map((line, index) => withId(line, index + 1)).join(""));
});

it("an import into a new store adds the whole file, even if the file was empty at the last import", async (at) => {
  const file = at.write("a.ndjson", makeLines(2).join(""));
  const args = ["import", file, ...targetArgs("database", at.database)];
  await at.run(args);
  at.write("a.ndjson", "");
  expect((await at.run(args)).stderr).toBe("Added 0 animals.\n");
  await using service = await replaceStore(at);
  at.write("a.ndjson", makeLines(2).join(""));
  expect((await at.run(args)).stderr).toEndWith("so it starts over.\nAdded 2 animals.\n");
  expect(await countAnimals(service)).toBe(2);
});

it("an import whose checkpoint names no store adds nothing twice, and asks the user after 24 hours", async (at) => {
  const args = ["import", at.write("a.ndjson", makeLines(2).join("")), "--json"];
  await at.run(args);
  const [checkpoint = ""] = at.checkpoints();
  const { mark, ...unmarked } = JSON.parse(readFileSync(checkpoint, "utf8"));
  expect(mark).toBeString();
  // Simulates a kill before PostgreSQL's event log contained an event of the import.
  writeFileSync(checkpoint, JSON.stringify({ ...unmarked, isDone: false }));
  const { stdout, stderr } = await at.run(args);
  expect(stderr).toEndWith("or restored since this import was run, so it starts over.\n");
  expect(JSON.parse(stdout)).toMatchObject({ added: 0, repeated: 2, earlier: 0 });
  const begunAt = unmarked.begunAt - 24 * 60 * 60 * 1000;
  writeFileSync(checkpoint, JSON.stringify({ ...unmarked, begunAt }));
  const refused = { exitCode: 1, stderr: expect.stringContaining("which animals it has of lines 1 to 2.") };
  expect(await at.run(args)).toMatchObject(refused);
  expect(JSON.parse((await at.run([...args, "--in-doubt", "skip"])).stdout)).toMatchObject({ added: 0, earlier: 2 });
});

it("an import into a store that was replaced long ago asks the user what to do", async (at) => {
  const lines = makeLines(1_500);
  const file = at.write("a.ndjson", lines.slice(0, 1_000).join(""));
  await at.run(["import", file]);
  const [checkpoint = ""] = at.checkpoints();
  const progress = JSON.parse(readFileSync(checkpoint, "utf8"));
  const oldProgress = JSON.stringify({ ...progress, begunAt: progress.begunAt - 24 * 60 * 60 * 1000 });
  writeFileSync(checkpoint, oldProgress);
  await using service = await replaceStore(at);
  at.write("a.ndjson", lines.join(""));
  expect(await at.run(["import", file])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("which animals it has of lines 1 to 1000."),
  });
  expect(await countAnimals(service)).toBe(0);
  const skipped = await at.run(["import", file, "--in-doubt", "skip"]);
  expect(skipped.stderr).toBe("Added 500 animals. 1000 had been added before.\n");
  writeFileSync(checkpoint, oldProgress);
  expect((await at.run(["import", file, "--in-doubt", "add"])).stderr).toEndWith(
    "Added 1000 animals. 500 had been added before.\n",
  );
  expect(await countAnimals(service)).toBe(1_500);
});

it("an import without a checkpoint adds nothing twice", async (at) => {
  const file = at.write("a.ndjson", makeLines(1_500).join(""));
  expect((await at.run(["import", file])).exitCode).toBe(0);
  const other = { ...at.environment, XDG_STATE_HOME: at.path("another state") };
  const again = await runProgram(["import", file], { environment: other });
  expect(again.stderr).toBe("Added 0 animals. 1500 had been added before.\n");
  expect(await countAnimals(at.service)).toBe(1_500);
  const named = await at.run(["import", file, "--name", "second", "--json"]);
  expect(JSON.parse(named.stdout)).toMatchObject({ added: 1_500, repeated: 0, earlier: 0 });
  expect(await countAnimals(at.service)).toBe(3_000);
});

it("an import resumes after appended lines, and starts over after a change", async (at) => {
  const lines = makeLines(1_500);
  const file = at.write("a.ndjson", lines.slice(0, 1_200).join(""));
  await at.run(["import", file]);
  at.write("a.ndjson", lines.join(""));
  // Removes old events, so that the event log no longer reaches back to the last run.
  await at.service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  await at.database.run("DELETE FROM events WHERE position < (SELECT max(position) FROM events)");
  expect((await at.run(["import", file])).stderr).toBe("Added 300 animals. 1200 had been added before.\n");
  at.write("a.ndjson", [...lines.slice(0, 1_100), makeLine(9_999), ...lines.slice(1_101)].join(""));
  expect((await at.run(["import", file])).stderr).toBe("Added 500 animals. 1000 had been added before.\n");
});

test.each(["ndjson", "csv"])(
  "an import reads an invalid last line of %s again once the line is longer",
  async (format) => {
    await using at = await setUp();
    const lines = format === "csv" ? ["name,categoryId\n", "Rex,7\n", "Mia,8\n"] : [makeLine(0), makeLine(1)];
    const [whole, half] = [lines.join(""), lines.join("").slice(0, -3)];
    const file = at.write(`a.${format}`, half);
    const cut = { exitCode: 4, stderr: expect.stringContaining("Added 1 animal. 1 line was rejected") };
    expect(await at.run(["import", file])).toMatchObject(cut);
    const again = { exitCode: 4, stderr: expect.stringContaining("1 had been added before. 1 line was rejected") };
    expect(await at.run(["import", file])).toMatchObject(again);
    expect(readFileSync(`${file}.rejects.ndjson`, "utf8").split("\n")).toHaveLength(2);
    at.write(`a.${format}`, whole);
    const done = { exitCode: 0, stderr: "Added 1 animal. 1 had been added before.\n" };
    expect(await at.run(["import", file])).toMatchObject(done);
    expect([existsSync(`${file}.rejects.ndjson`), await countAnimals(at.service)]).toEqual([false, 2]);
  },
);

it("an import treats a valid last line of CSV as complete, and rejects text that is appended to that line", async (at) => {
  const file = at.write("a.csv", "name,categoryId\nRex,1");
  expect(await at.run(["import", file])).toMatchObject({ exitCode: 0, stderr: "Added 1 animal.\n" });
  at.write("a.csv", "name,categoryId\nRex,123\nTom,4\n");
  expect(await at.run(["import", file])).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("Added 1 ") });
  expect(readFileSync(`${file}.rejects.ndjson`, "utf8")).toContain('"record":"23"');
  const added = ['{"id":1,"name":"Rex","categoryId":1,', '{"id":2,"name":"Tom","categoryId":4,'];
  expect(await at.exported()).toBe(added.map((line) => `${line}"status":"available"}\n`).join(""));
});

test.each<[Engine, title: string, stateFolder: string]>([
  ["sqlite", "one state folder", "state"],
  ["postgres", "one state folder", "state"],
  ["postgres", "two state folders", "another state"],
])(
  "on %s, two concurrent imports of a file, with %s, add nothing twice and reject each invalid line once",
  async (engine, _, stateFolder) => {
    await using at = await setUp(engine);
    const lines = makeLines(8_000).map((line, index) => (index % 10 === 0 ? `{"name":"${index}"}\n` : line));
    const file = at.write("a.ndjson", lines.join(""));
    const args = ["import", file, ...targetArgs("database", at.database)];
    const other = { ...at.environment, XDG_STATE_HOME: at.path(stateFolder) };
    const runs = await Promise.all([at.run(args), runProgram(args, { environment: other })]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([4, 4]);
    expect(await countAnimals(at.service)).toBe(7_200);
    const rejects = readFileSync(`${file}.rejects.ndjson`, "utf8").trimEnd().split("\n");
    const numbers = rejects.map((line) => JSON.parse(line).line);
    expect(numbers).toEqual(Array.from({ length: 800 }, (_, index) => index * 10 + 1));
  },
);

it("an import waits for an earlier run, and leaves the rejects unchanged if it is interrupted meanwhile", async (at) => {
  const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n`);
  expect(await at.run(["import", file])).toMatchObject({ exitCode: 4 });
  const rejects = readFileSync(`${file}.rejects.ndjson`, "utf8");
  const locks = at.path("state/animal-store/imports");
  const [locked = ""] = readdirSync(locks).filter((found) => found.endsWith(".json.lock"));
  using held = lockFile(join(locks, locked));
  expect(held).toBeDefined();
  const waiting = spawn(["import", file], { environment: at.environment });
  for await (const text of waiting.stderr) {
    expect(Buffer.from(text).toString()).toBe("animal-store: This import is already running. Waiting for it to end.\n");
    waiting.kill("SIGINT");
  }
  expect(await waiting.exited).toBe(130);
  expect(readFileSync(`${file}.rejects.ndjson`, "utf8")).toBe(rejects);
  expect(readdirSync(locks).filter((found) => found.includes("journal"))).toEqual([]);
});

it("an import is refused while another import writes to the same file of rejected lines", async (at) => {
  const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n`);
  expect(await at.run(["import", file])).toMatchObject({ exitCode: 4 });
  const rejects = `${file}.rejects.ndjson`;
  const before = readFileSync(rejects, "utf8");
  const locks = at.path("state/animal-store/imports");
  const [locked = ""] = readdirSync(locks).filter((found) => found.endsWith(".file.lock"));
  using held = lockFile(join(locks, locked));
  expect(held).toBeDefined();
  expect(await at.run(["import", file, "--name", "other"])).toEqual(
    failure(`Another import is writing to ${rejects}. Choose another file with --rejects, or wait for it.`),
  );
  expect([readFileSync(rejects, "utf8"), await countAnimals(at.service)]).toEqual([before, 1]);
});

it("an import from a pipe needs no state folder", async (at) => {
  const environment = { ...at.environment, XDG_STATE_HOME: at.write("file", "") };
  const args = ["import", "-", "--format", "ndjson", "--rejects", at.path("rejects")];
  expect(await runProgram(args, { environment, stdin: makeLine(0) })).toMatchObject({
    exitCode: 0,
    stderr: "Added 1 animal.\n",
  });
});

test("an import waits while PostgreSQL still executes a killed import, and can be interrupted meanwhile", async () => {
  await using at = await setUp("postgres");
  await at.service.signal("SIGTERM");
  await using held = await lockAnimals(at.database);
  const args = ["import", at.write("a.ndjson", makeLines(3).join("")), ...targetArgs("database", at.database)];
  const start = () => spawn(args, { environment: at.environment });
  const startWaiting = async () => {
    const child = start();
    await until(async () => child.exitCode !== null || (await held.hasSession("query = 'ROLLBACK'")));
    expect(child.exitCode).toBeNull();
    return child;
  };
  const killed = start();
  await held.untilBlocking();
  await endBySignal(killed, "SIGKILL");

  const interrupted = await startWaiting();
  expect(await endBySignal(interrupted, "SIGINT")).toBe(130);
  await until(async () => !(await held.hasSession("query = 'ROLLBACK'")));
  const last = await startWaiting();
  await held.release();
  expect([await last.exited, await new Response(last.stderr).text()]).toEqual([0, "Added 3 animals.\n"]);
  await using _ = await RunningProgram.start(urlOf(at.database), { port: at.service.client.url.port });
  expect(await countAnimals(at.service)).toBe(3);
});

testUnless(
  linuxSkipReason("/proc"),
  "a stopped import reports what it has added, including the batch in flight",
  async () => {
    await using at = await setUp("postgres");
    const pipe = at.path("pipe");
    expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
    const stopImport = async (target: string, count: number) => {
      const args = [
        "import",
        pipe,
        "--format",
        "ndjson",
        "--name",
        `${target} ${count}`,
        "--rejects",
        at.path("rejects"),
      ];
      const child = spawn([...args, ...targetArgs(target, at.database)], { environment: at.environment });
      const writer = openSync(pipe, "r+");
      const add = () => {
        const batch = Buffer.from(batchOfOne);
        for (let written = 0; written < batch.length; ) written += writeSync(writer, batch, written);
      };
      const before = await countAnimals(at.service);
      for (let index = 1; index < count; index++) {
        add();
        await until(async () => (await countAnimals(at.service)) === before + index);
      }
      await using held = await lockAnimals(at.database);
      add();
      await held.untilBlocking();
      child.kill("SIGTERM");
      // Releases the lock once the signal has been handled, because an import into a database waits for the lock before it exits.
      await until(() => child.exitCode !== null || !hasHandler(child.pid, 15));
      await held.release();
      closeSync(writer);
      const [exitCode, stderr] = [await child.exited, await child.stderr.text()];
      await until(async () => (await countAnimals(at.service)) === before + count);
      return [exitCode, stderr];
    };
    const stoppedWith = (text: string) => [143, `animal-store: ${text} Run the same command again to continue.\n`];
    expect(await stopImport("database", 1)).toEqual(stoppedWith("1 animal was added."));
    expect(await stopImport("service", 2)).toEqual(stoppedWith("At least 1 animal was added."));
    expect(await stopImport("service", 1)).toEqual(stoppedWith("It is not known whether any animals were added."));
  },
);

it("an import starts over if its checkpoint is damaged", async (at) => {
  const file = at.write("a.ndjson", makeLines(3).join(""));
  await at.run(["import", file]);
  for (const content of ["", "null", "[]", '{"place":{"bytes":"many"}}']) {
    const [checkpoint = "", ...others] = at.checkpoints();
    writeFileSync(checkpoint, content);
    const { stderr } = await at.run(["import", file]);
    expect([content, stderr, others]).toEqual([content, "Added 0 animals. 3 had been added before.\n", []]);
  }
});

it("an import rejects invalid lines with their numbers and reasons, and adds the valid lines", async (at) => {
  const wrong = ["{", "7", '{"name":"Rex"}', '{"name":"","categoryId":1.5,"status":"lost"}', '"text"'];
  const text = [makeLine(0), ...wrong.map((line) => `${line}\n`), "\n", makeLine(1)].join("");
  const file = at.write("a.ndjson", text);
  expect(await at.run(["import", file])).toMatchObject({
    exitCode: 4,
    stderr: `Added 2 animals. 5 lines were rejected: see ${file}.rejects.ndjson.\n`,
  });
  expect(statSync(`${file}.rejects.ndjson`).mode & 0o777).toBe(0o600);
  const integer = "an integer from -9223372036854775808 to 9223372036854775807";
  const rejects = readFileSync(`${file}.rejects.ndjson`, "utf8").trimEnd().split("\n");
  expect(rejects.map((line) => JSON.parse(line))).toEqual([
    { line: 2, reason: "This is not valid JSON.", record: "{" },
    { line: 3, reason: "A JSON object is required.", record: "7" },
    { line: 4, reason: `categoryId is missing; it must be ${integer}.`, record: wrong[2] },
    {
      line: 5,
      reason: `name must be a string of 1 to 255 characters, at least one of them visible and none of them a control character. categoryId must be ${integer}. status must be one of available, pending, sold.`,
      record: wrong[3],
    },
    { line: 6, reason: "A JSON object is required.", record: wrong[4] },
  ]);
  const again = await at.run(["import", file]);
  expect([again.exitCode, await countAnimals(at.service)]).toEqual([4, 2]);
  expect(readFileSync(`${file}.rejects.ndjson`, "utf8").trimEnd().split("\n")).toEqual(rejects);
});

it("an import rejects an overlong last line, and reads it again once the line is complete", async (at) => {
  const array = `[${makeLines(10_000)
    .map((line) => line.trimEnd())
    .join(",")}]`;
  const file = at.write("a.ndjson", `${makeLine(0)}${array}`);
  const partial = (added: string) => ({ exitCode: 4, stderr: expect.stringContaining(`${added} 1 line was rejected`) });
  expect(await at.run(["import", file])).toMatchObject(partial("Added 1 animal."));
  const reject = JSON.parse(readFileSync(`${file}.rejects.ndjson`, "utf8"));
  expect(reject).toEqual({ line: 2, reason: "This is not valid UTF-8, or longer than 256 KiB." });
  at.write("a.ndjson", `${makeLine(0)}${array}\n${makeLine(1)}`);
  expect(await at.run(["import", file])).toMatchObject(partial("Added 1 animal. 1 had been added before."));
  expect(await countAnimals(at.service)).toBe(2);
  const csv = `name,categoryId\n${"x".repeat(300_000)}`;
  const dry = await at.run(["import", "-", "--format", "csv", "--dry-run"], csv);
  expect(dry).toMatchObject(partial("0 animals could be added."));
});

it("an import reports a quote that is never closed, and stores the many rejects after the quote compactly", async (at) => {
  const wrong = ['"Rex,7', ...Array.from({ length: 60_000 }, (_, index) => String(index % 10))];
  const text = `name,categoryId\n${wrong.join("\n")}\n`;
  const file = at.write("a.csv", text);
  expect(await at.run(["import", file, ...targetArgs("database", at.database)])).toMatchObject({
    exitCode: 4,
    stderr: `animal-store: The quote that is opened in line 2 is never closed.\nAdded 0 animals. 60001 lines were rejected: see ${file}.rejects.ndjson.\n`,
  });
  const rejects = readFileSync(`${file}.rejects.ndjson`, "utf8");
  expect(rejects.length).toBeLessThan(1024 * 1024 + 4 * text.length);
  const entries = rejects.trimEnd().split("\n");
  expect(entries.flatMap((entry) => JSON.parse(entry).record.split("\n"))).toEqual(wrong);
  const shared =
    /^\d+ lines up to line \d+ are wrong\. The first: This line has 1 field, but the first line names 2 columns\.$/;
  expect(entries.map((entry) => JSON.parse(entry).reason)).toContainEqual(expect.stringMatching(shared));
});

it("an import overwrites neither its own file nor a file of another kind with rejects", async (at) => {
  const text = `${makeLine(0)}{"name":"Rex"}\n`;
  const file = at.write("a.ndjson", text);
  const letter = at.write("letter.txt", "Dear Mia,\n");
  const cases = [
    [file, `${file} exists, and is not a file of rejected lines. Choose another with --rejects.`],
    [letter, `${letter} exists, and is not a file of rejected lines. Choose another with --rejects.`],
    [at.path("."), expect.stringContaining("Rejected lines cannot be written to")],
    [at.path("no/folder"), expect.stringContaining("Rejected lines cannot be written to")],
  ] as const;
  for (const [rejects, problem] of cases) {
    const { exitCode, stderr } = await at.run(["import", file, "--rejects", rejects]);
    expect([exitCode, stderr.replace(/^animal-store: |\n$/g, "")]).toEqual([2, problem]);
    expect(stderr).not.toContain("    at ");
  }
  expect([readFileSync(file, "utf8"), readFileSync(letter, "utf8")]).toEqual([text, "Dear Mia,\n"]);
  expect(await countAnimals(at.service)).toBe(0);
});

it("an import resumes after its rejects were removed, and with another file for rejects", async (at) => {
  const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n`);
  await at.run(["import", file]);
  await Bun.file(`${file}.rejects.ndjson`).delete();
  expect(await at.run(["import", file])).toMatchObject({
    exitCode: 4,
    stderr: "Added 0 animals. 1 had been added before. 1 line was rejected.\n",
  });
  at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n{"name":"Mia"}\n${makeLine(1)}`);
  expect(await at.run(["import", file, "--rejects", at.path("b")])).toMatchObject({
    exitCode: 4,
    stderr: `Added 1 animal. 1 had been added before. 2 lines were rejected: see ${at.path("b")}.\n`,
  });
  expect(readFileSync(at.path("b"), "utf8")).toStartWith('{"line":3,');
});

it("an import reads a named pipe, and Ctrl-C ends it while it waits for data", async (at) => {
  const pipe = at.path("pipe");
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  const child = spawn(["import", pipe, "--format", "ndjson"], { environment: at.environment });
  const writer = openSync(pipe, "r+");
  const lines = Buffer.from(makeLines(1_000).join(""));
  for (let written = 0; written < lines.length; ) written += writeSync(writer, lines, written);
  await until(async () => (await countAnimals(at.service)) === 1_000);
  expect(await endBySignal(child, "SIGINT")).toBe(130);
  closeSync(writer);
});

testUnless(linuxSkipReason("/proc"), "SIGHUP ends an import and removes its files, except under nohup", async () => {
  await using at = await setUp();
  const [pipe, rejects] = [at.path("pipe"), at.path("rejects")];
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  for (const [start, exitCode] of [
    ['exec "$@"', 129],
    ['trap "" HUP; exec "$@"', 0],
  ] as const) {
    const args = ["import", pipe, "--format", "ndjson", "--rejects", rejects, "--name", start];
    const child = Bun.spawn(["sh", "-c", start, "sh", ...programCommand, ...args], {
      env: { ...process.env, ...at.environment },
      stderr: "ignore",
    });
    const writer = openSync(pipe, "w");
    await until(() => existsSync(rejects));
    child.kill("SIGHUP");
    if (exitCode === 0) closeSync(writer);
    expect([await child.exited, child.signalCode, existsSync(rejects)]).toEqual([exitCode, null, false]);
    if (exitCode !== 0) closeSync(writer);
  }
});

it("imports to databases with the same name in two folders do not share their progress", async (one) => {
  await using other = await setUp();
  const file = one.write("a.ndjson", makeLine(0));
  for (const { path, database } of [one, other]) {
    symlinkSync(urlOf(database).replace("sqlite:", ""), path("x.db"));
    const { exited } = Bun.spawn([...programCommand, "import", file, "--database", "sqlite:x.db"], {
      cwd: path("."),
      env: { ...process.env, ...one.environment },
      stderr: "ignore",
    });
    expect(await exited).toBe(0);
  }
  expect([await countAnimals(one.service), await countAnimals(other.service)]).toEqual([1, 1]);
});

it("an import uses little memory, however long the names are", async (at) => {
  const name = "🐕".repeat(255);
  const file = at.write("a.ndjson", `{"name":"${name}","categoryId":7}\n`.repeat(20_000));
  // On a busy machine, a concurrent garbage collector may run late.
  const environment = { ...at.environment, BUN_JSC_useConcurrentGC: "0" };
  const child = spawn(["import", file, ...targetArgs("database", at.database)], { environment });
  expect(await child.exited).toBe(0);
  expect(child.resourceUsage()?.maxRSS).toBeLessThan(maxMemoryBytes);
});

it("an import shows its progress on one line, however narrow the terminal is", async (at) => {
  const file = at.write("a.ndjson", makeLines(1_000).join(""));
  const { environment } = at;
  const { shown, exitCode } = await spawnOnTerminal(["import", file], { environment, columns: 40 }).ended();
  const drawn = shown.split("\r").filter((text) => text.startsWith("Importing"));
  expect([exitCode, drawn.map((text) => text.indexOf("\x1b[K") <= 39)]).toEqual([0, drawn.map(() => true)]);
  expect(drawn.length).toBeGreaterThan(0);
});

testUnless(
  linuxSkipReason("/dev/full"),
  "an import prints messages on lines of their own below the progress",
  async () => {
    await using at = await setUp();
    const wrong = '{"name":"Rex","colour":"red"}\n';
    const file = at.write("a.ndjson", `${batchOfOne.repeat(2)}${wrong}${batchOfOne}${makeLine(0)}`);
    const args = ["import", file, "--rejects", "/dev/full"];
    const { shown } = await spawnOnTerminal(args, { environment: at.environment }).ended();
    const lines = shown.split("\n");
    expect(lines[0]).toContain("Importing [");
    expect(lines.filter((line) => line.includes("animal-store: "))).toEqual([
      'animal-store: The unknown field "colour" is ignored.',
      "animal-store: 3 animals were added. Run the same command again to continue.",
      expect.stringMatching(/^animal-store: \/dev\/full cannot be written to: ENOSPC/),
    ]);
  },
);

it("an import reports a failed system call with a one-line error", async (at) => {
  const file = at.write("a.ndjson", makeLine(0));
  const environment = { ...at.environment, XDG_STATE_HOME: file };
  expect(await runProgram(["import", file], { environment })).toMatchObject({
    exitCode: 1,
    stderr: `animal-store: ENOTDIR: not a directory, mkdir '${file}/animal-store/imports'.\n`,
  });
  expect(await countAnimals(at.service)).toBe(0);
});

it("import --dry-run reports invalid lines and writes nothing", async (at) => {
  const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n${makeLine(1)}`);
  const files = () => readdirSync(at.path(".")).filter((name) => name !== ".bun");
  const before = files();
  expect(await at.run(["import", file, "--dry-run"])).toMatchObject({
    exitCode: 4,
    stderr:
      "animal-store: Line 2: categoryId is missing; it must be an integer from -9223372036854775808 to 9223372036854775807.\n2 animals could be added. 1 line was rejected.\n",
  });
  expect(files()).toEqual(before);
  expect(await countAnimals(at.service)).toBe(0);
});

it("an import reads CSV columns in any order, and reports each ignored column once", async (at) => {
  const csv = [
    "\ufeffstatus,colour,name,id,categoryId",
    'sold,red,"Rex, the ""Great""",7,9007199254740993',
    ",,Mia,8,-1",
    'lost,,"Two\r\nlines",9,1',
    "sold,Kim",
    '"sold",,"Kim",10,0x1F',
    "available,blue,Last,11,3",
  ].join("\r\n");
  expect(await at.run(["import", "-", "--format", "csv", "--rejects", at.path("wrong")], csv)).toMatchObject({
    exitCode: 4,
    stderr: `animal-store: The unknown field "colour" is ignored.
animal-store: The ids in the file are ignored: the store assigns its own. To keep ids, use animal-store copy.
Added 3 animals. 3 lines were rejected: see ${at.path("wrong")}.
`,
  });
  const rejects = readFileSync(at.path("wrong"), "utf8").trimEnd().split("\n");
  expect(rejects.map((line) => JSON.parse(line)).map(({ line, reason }) => [line, reason])).toEqual([
    [4, expect.stringContaining("name must be")],
    [6, "This line has 2 fields, but the first line names 5 columns."],
    [7, expect.stringContaining("categoryId must be an integer")],
  ]);
  expect(await at.exported()).toBe(
    [
      '{"id":1,"name":"Rex, the \\"Great\\"","categoryId":9007199254740993,"status":"sold"}\n',
      '{"id":2,"name":"Mia","categoryId":-1,"status":"available"}\n',
      '{"id":3,"name":"Last","categoryId":3,"status":"available"}\n',
    ].join(""),
  );
});

it("an import asks the user about a batch that the store no longer remembers", async (at) => {
  const lines = makeLines(3_000);
  const file = at.write("a.ndjson", lines.slice(0, 1_000).join(""));
  await at.run(["import", file]);
  // Simulates a kill in the middle of the file two days ago.
  const [checkpoint = ""] = at.checkpoints();
  const progress = JSON.parse(readFileSync(checkpoint, "utf8"));
  const oldProgress = JSON.stringify({ ...progress, isDone: false, at: progress.at - 48 * 60 * 60 * 1000 });
  at.write("a.ndjson", lines.join(""));
  writeFileSync(checkpoint, oldProgress);
  await leavePartialFile(checkpoint);
  expect(await at.run(["import", file])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("has added lines 1001 to 2000."),
  });
  expect(await countAnimals(at.service)).toBe(1_000);
  expect((await at.run(["import", file, "--in-doubt", "skip"])).stderr).toStartWith("Added 1000 animals.");
  expect(at.checkpoints()).toEqual([checkpoint]);
  writeFileSync(checkpoint, oldProgress);
  expect((await at.run(["import", file, "--in-doubt", "add"])).stderr).toStartWith("Added 1000 animals. 2000 had");
  expect(await countAnimals(at.service)).toBe(3_000);
});

test.each([
  [["import"], "import must be followed by one file, or - for standard input."],
  [["import", "-"], "--format is required, because the file name does not show the format."],
  [["import", "/nowhere/animals.csv"], "/nowhere/animals.csv does not exist."],
  [["import", "/", "--format", "csv"], "/ is a folder."],
])("the arguments %j are refused with exit code 2", async (args, problem) => {
  const environment = { ANIMAL_STORE_URL: "http://127.0.0.1:1", ANIMAL_STORE_API_KEY: programKey };
  expect(await runProgram(args, { environment })).toEqual(failure(problem));
});

describe("CSV", () => {
  let at: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    at = await setUp();
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const unnamedMessage = "must name its columns. It has no column name. It has no column categoryId.";
  const lineEndAdvice = "End each line with a line feed, or with CRLF.";
  const unreadableMessage = `is not valid UTF-8, or longer than 256 KiB. Save the file as CSV in UTF-8. ${lineEndAdvice}`;
  test.each([
    ["no line of column names", "Rex,7\nMia,7\n", unnamedMessage],
    ["a single line without column names", "Rex,7\n", unnamedMessage],
    ["semicolons", "name;categoryId\nRex;7\n", `${unnamedMessage} Separate the columns by commas.`],
    ["binary content", Buffer.from([0x1f, 0x8b, 0x0a, 0xff, 0x0a]), unreadableMessage],
    [
      "carriage returns alone",
      "name,categoryId\rRex,7\r",
      `must name its columns. It has no column categoryId. ${lineEndAdvice}`,
    ],
    ["many carriage returns", `name,categoryId\r${"Rex,7\r".repeat(50_000)}`, unreadableMessage],
    ["UTF-16", Buffer.from("\ufeffname,categoryId\nRex,7\n", "utf16le"), unreadableMessage],
  ])("a CSV file with %s is refused with exit code 2, and adds nothing", async (_, content, problem) => {
    expect(await at.run(["import", at.write("a.csv", content)])).toMatchObject({
      exitCode: 2,
      stderr: `animal-store: The first line of the CSV ${problem}\n`,
    });
    expect(readdirSync(at.path("."))).not.toContain("a.csv.rejects.ndjson");
    expect(await countAnimals(at.service)).toBe(0);
  });
});

const missingMessage = (path: string) =>
  `animal-store: ${path} does not exist. Name an existing store; only serve, restore and copy --to create a new one.\n`;
test.each<[args: string[], exitCode: number, stderr: (path: string) => string]>([
  [["import", "a.ndjson"], 2, missingMessage],
  [["export"], 2, missingMessage],
  [["export", "b.ndjson"], 2, missingMessage],
  [["import", "a.ndjson", "--dry-run"], 0, () => "2 animals could be added.\n"],
])("%j creates neither a missing database nor its folder", async ([command = "", file, ...flags], exitCode, stderr) => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("a.ndjson"), makeLines(2).join(""));
  const database = at("data/new/animals.db");
  const args = [command, ...(file ? [at(file)] : []), ...flags, "--database", `sqlite:${database}`];
  const environment = { HOME: folder.path, XDG_STATE_HOME: at("state"), XDG_CONFIG_HOME: at("config") };
  expect(await runProgram(args, { environment })).toEqual({ stdout: "", stderr: stderr(database), exitCode });
  expect(readdirSync(folder.path).filter((name) => name !== ".bun")).toEqual(["a.ndjson"]);
});

testUnless(
  linuxSkipReason("/dev/full"),
  "exports and rejects to a full disk fail with an error that names the file",
  async () => {
    await using at = await setUp();
    const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n`);
    const refusal = expect.stringContaining(
      "animal-store: /dev/full cannot be written to: ENOSPC: no space left on device",
    );
    const refused = { exitCode: 1, stderr: refusal };
    expect(await at.run(["import", file, "--rejects", "/dev/full"])).toMatchObject(refused);
    expect(await at.run(["import", file])).toMatchObject({ exitCode: 4 });
    expect(await at.run(["export", "/dev/full", "--format", "csv"])).toMatchObject(refused);
  },
);

it("an export does not replace a store that is created at its path while the export runs", async (at) => {
  const [file, made] = [at.path("animals.db"), at.path("made.db")];
  await makeSqliteStore(made, 3);
  const store = readFileSync(made);
  // Puts the store at the path when the export sends its request, after the export has checked that the path is free.
  using front = await MovableAddress.to(Number(at.service.client.url.port), (sent) => {
    if (existsSync(made)) renameSync(made, file);
    return sent;
  });
  expect(await at.run(["export", file, "--url", `http://127.0.0.1:${front.port}`])).toEqual(
    failure(`${file} belongs to a SQLite database. Choose another file.`),
  );
  expect(readFileSync(file).equals(store)).toBe(true);
  expect(readdirSync(at.path(".")).filter((name) => name.includes(".partial-"))).toEqual([]);
});

it("an export writes all or selected animals as NDJSON or CSV", async (at) => {
  const lines = makeLines(1_300);
  await at.run(["import", at.write("a.ndjson", lines.join(""))]);
  const all = lines.map((line, index) => withId(line, index + 1));
  expect(await at.run(["export", "-", "--status", "sold"])).toMatchObject({
    stdout: all.filter((line) => line.includes('"sold"')).join(""),
  });
  const big = await at.run(["export", "--category", makeAnimal(13).categoryId]);
  expect(big.stdout).toBe(all[13] ?? "");
  const file = at.path("b.csv");
  expect((await at.run(["export", file, "--database", urlOf(at.database), "--json"])).stdout).toBe(
    `{"animals":1300,"file":${JSON.stringify(file)}}\n`,
  );
  expect(readFileSync(file, "utf8").split("\r\n").slice(0, 6)).toEqual([
    "id,name,categoryId,status",
    "1,Rex 0,9223372036854775807,available",
    "2,Mia 🐈 1,1,pending",
    '3,"O""Neil, Jr. 2",2,sold',
    "4,  Zoë  3,3,available",
    "5,'=1+1 4,4,pending",
  ]);
});

it("a failed export leaves no file, and an export to a closed pipe ends without an error", async (at) => {
  await at.run(["import", at.write("a.ndjson", makeLines(5_000).join(""))]);
  const file = at.path("b.ndjson");
  await leavePartialFile(file);
  const refused = await runProgram(["export", file], {
    environment: { ...at.environment, ANIMAL_STORE_API_KEY: "wrong-key-of-nobody" },
  });
  expect(refused.exitCode).toBe(1);
  expect([existsSync(file), readdirSync(at.path(".")).filter((name) => name.includes("partial"))]).toEqual([false, []]);
  const child = spawn(["export"], { environment: at.environment });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
});

it("an export follows a symbolic link to a file that does not exist yet", async (at) => {
  await at.run(["import", at.write("a.ndjson", makeLine(0))]);
  symlinkSync("state/b.ndjson", at.path("link.ndjson"));
  expect(await at.run(["export", at.path("link.ndjson")])).toMatchObject({ exitCode: 0 });
  expect(lstatSync(at.path("link.ndjson")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at.path("state/b.ndjson"), "utf8")).toBe(withId(makeLine(0), 1));
});

it("an export writes through a link and into a pipe, and replaces neither", async (at) => {
  await at.run(["import", at.write("a.ndjson", makeLine(0))]);
  const file = at.write("b.ndjson", "old");
  symlinkSync(file, at.path("link.ndjson"));
  expect(await at.run(["export", at.path("link.ndjson")])).toEqual({
    stdout: "",
    stderr: `Wrote 1 animal to ${at.path("link.ndjson")}.\n`,
    exitCode: 0,
  });
  expect(readFileSync(file, "utf8")).toBe(withId(makeLine(0), 1));
  const pipe = at.path("pipe");
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  const [{ exitCode }, read] = await Promise.all([at.run(["export", pipe]), Bun.spawn(["cat", pipe]).stdout.text()]);
  expect([exitCode, read, statSync(pipe).isFIFO()]).toEqual([0, withId(makeLine(0), 1), true]);
});

it("an export ends without an error if the reader of a named pipe exits", async (at) => {
  await at.run(["import", at.write("a.ndjson", makeLines(5_000).join(""))]);
  const pipe = at.path("pipe");
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  const [named, read] = await Promise.all([at.run(["export", pipe]), Bun.spawn(["head", "-n1", pipe]).stdout.text()]);
  expect([named, read]).toEqual([{ stdout: "", stderr: "", exitCode: 0 }, withId(makeLine(0), 1)]);
});

testUnless(
  linuxSkipReason("/proc"),
  "exports and imports end at the first signal, even while blocked on a pipe without a reader",
  async () => {
    await using at = await setUp();
    const lines = makeLines(5_000);
    await at.run(["import", at.write("a.ndjson", lines.join(""))]);
    const pipe = at.path("pipe");
    expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
    for (const args of [
      ["export", pipe],
      ["import", at.path("a.ndjson"), "--rejects", pipe],
    ]) {
      const unread = spawn(args, { environment: at.environment });
      await until(() => unread.exitCode !== null || hasHandler(unread.pid, 2));
      unread.kill("SIGINT");
      expect([await unread.exited, unread.signalCode]).toEqual([130, null]);
    }

    const wrong = at.write("wrong.ndjson", "wrong\n".repeat(5_000));
    for (const command of [`export ${pipe}`, `export > ${pipe}`, `import ${wrong} --rejects ${pipe}`]) {
      const full = Bun.spawn(["sh", "-c", `exec ${programInShell} ${command}`], {
        env: { ...process.env, ...at.environment },
        stderr: "ignore",
      });
      const reader = openSync(pipe, "r");
      // The output is larger than the buffer of the pipe.
      readSync(reader, Buffer.alloc(1));
      full.kill("SIGTERM");
      expect([await full.exited, full.signalCode]).toEqual([143, null]);
      closeSync(reader);
    }
  },
);

it("exports and rejects into the files of a database are refused with exit code 2", async (at) => {
  const file = at.write("a.ndjson", `${makeLine(0)}{"name":"Rex"}\n`);
  const path = urlOf(at.database).replace("sqlite:", "");
  symlinkSync(`${path}-wal`, at.path("link"));
  const databaseFileRefusal = (own: string) => ({
    exitCode: 2,
    stderr: `animal-store: ${own} belongs to a SQLite database. Choose another file.\n`,
  });
  for (const own of [path, `${path}-shm`]) {
    expect(await at.run(["export", own, ...targetArgs("database", at.database)])).toMatchObject(
      databaseFileRefusal(own),
    );
  }
  expect(await at.run(["export", at.path("link")])).toMatchObject(databaseFileRefusal(`${path}-wal`));
  const rejects = `${path}-journal`;
  expect(await at.run(["import", file, "--rejects", rejects])).toMatchObject(databaseFileRefusal(rejects));
  await at.service.signal("SIGTERM");
  const rest = ["import", file, "--rejects", `${path}-wal`, ...targetArgs("database", at.database)];
  expect(await at.run(rest)).toMatchObject(databaseFileRefusal(`${path}-wal`));
  expect(await at.run(["export", ...targetArgs("database", at.database)])).toMatchObject({ stdout: "", exitCode: 0 });
});

it("an export into a folder, or below a missing folder, is refused with exit code 2", async (at) => {
  const folder = at.path("state");
  await at.run(["import", at.write("a.ndjson", makeLine(0))]);
  expect(await at.run(["export", folder])).toMatchObject({
    exitCode: 2,
    stderr: `animal-store: ${folder} is a folder. Choose a file in it.\n`,
  });
  expect(await at.run(["export", join(folder, "no", "a.csv")])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`animal-store: ${join(folder, "no")} cannot be written to: ENOENT`),
  });
});
