import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { listPendingMigrations } from "../../src/store/sqlite/schema/migrate.ts";
import { makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { failure, RunningProgram, runProgram } from "../support/program.ts";
import { makeOldSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** The migrations have the same names on both engines, except those that only one engine needs. */
const allMigrations = listPendingMigrations(0);
const postgresMigrations = allMigrations
  .toSpliced(3, 0, "quotas that instances share")
  .toSpliced(-1, 0, "events in lots", "categories by status")
  .concat("quotas in sliding windows");
const expected = (verb: string, names: readonly string[], how: string) => ({
  stdout: names.map((name) => `${verb}: ${name} (${how})\n`).join(""),
  stderr: "",
  exitCode: 0,
});
const upToDate = { stdout: "The schema is up to date.\n", stderr: "", exitCode: 0 };

test("migrate on PostgreSQL shows pending migrations, applies them once, and then reports that none is left", async () => {
  await using database = await makeDatabase("postgres");
  const migrate = (...args: string[]) => runProgram(["migrate", "--database", urlOf(database), ...args]);
  for (let round = 0; round < 2; round++) {
    expect(await migrate("--dry-run")).toEqual(expected("Pending", postgresMigrations, "online"));
    expect(await countSchemas(database)).toBe(0);
  }
  expect(await migrate()).toEqual(expected("Done", postgresMigrations, "online"));
  expect(await migrate("--dry-run")).toEqual(upToDate);
  await database.fill(3);
  expect(await migrate()).toEqual(upToDate);
});

test("migrate and doctor report with one line that the schema belongs to another application", async () => {
  await using database = await makeDatabase("postgres");
  const { schema } = database.address as { schema: string };
  await database.run(`CREATE SCHEMA ${schema}`);
  await database.run("CREATE TABLE keys (k text)");
  const message = `The schema ${schema} of the PostgreSQL database seems to belong to another application: animal-store did not create its table keys. Choose another one with ?schema=NAME in the URL; if it is a partly restored store, restore all of it.`;
  expect(await runProgram(["migrate", "--database", urlOf(database)])).toEqual(failure(message));
  const { stdout, exitCode } = await runProgram(["doctor", "--database", urlOf(database)]);
  expect(stdout).toContain(`  WRONG  store: ${message}\n`);
  expect(exitCode).toBe(1);
});

test("migrate on SQLite migrates a file of an older version, and then reports that nothing is left", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const migrate = (...args: string[]) => runProgram(["migrate", "--database", `sqlite:${path}`, ...args]);
  makeOldSqliteStore(path);
  for (let round = 0; round < 2; round++) {
    const before = readFileSync(path);
    expect(await migrate("--dry-run")).toEqual(expected("Pending", allMigrations.slice(1), "not online"));
    expect(readdirSync(folder.path)).toEqual(["animals.db"]);
    expect(readFileSync(path).equals(before)).toBe(true);
  }
  expect(await migrate()).toEqual(expected("Done", allMigrations.slice(1), "not online"));
  expect(await migrate("--dry-run")).toEqual(upToDate);
  expect(await migrate()).toEqual(upToDate);
  expect(readdirSync(folder.path)).toEqual(["animals.db"]);
});

test.each([[[]], [["--dry-run"]]])(
  "migrate on SQLite with %j refuses a missing file, and creates neither the file nor its folder",
  async (args) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "a/b/animals.db");
    expect(await runProgram(["migrate", ...args, "--database", `sqlite:${path}`])).toEqual(
      failure(`${path} does not exist. Name an existing store; only serve, restore and copy --to create a new one.`),
    );
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

test("migrate --dry-run beside a running service changes nothing", async () => {
  await using program = await RunningProgram.startNew();
  const { path } = program;
  await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  const wal = readFileSync(`${path}-wal`);
  expect(await runProgram(["migrate", "--dry-run", "--database", `sqlite:${path}`])).toEqual(upToDate);
  expect(readFileSync(`${path}-wal`).equals(wal)).toBe(true);
  expect((await program.client.call("/readyz")).status).toBe(200);
});

test("migrate on an unreachable server fails with a one-line error and exit code 3", async () => {
  expect(await runProgram(["migrate", "--database", "postgres://me:secret@127.0.0.1:1/x"])).toEqual(
    failure(
      "The PostgreSQL database cannot be used: 127.0.0.1:1: ERR_POSTGRES_CONNECTION_REFUSED: Failed to connect. Make sure that the server is running, can be reached from here and has connections left, then try again.",
      3,
    ),
  );
});

async function countSchemas({ address }: TestDatabase): Promise<number> {
  if (address.kind !== "postgres") throw new Error("Only PostgreSQL has schemas.");
  const sql = new SQL({ url: address.urls[0] ?? "", max: 1 });
  const rows = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${address.schema}`;
  await sql.close();
  return rows.length;
}
