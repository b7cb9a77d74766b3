import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { hashKey } from "../../src/domain/key-secret.ts";
import { openExistingStore, openStore, planMigration } from "../../src/store/open-store.ts";
import { checkAgainstModel } from "../model/run.ts";
import { databaseOn, makeDatabase, sharedPostgres, type TestDatabase, urlOf } from "../support/database.ts";
import { projectFolder, RunningProgram, runProgram } from "../support/program.ts";
import { startServiceOn } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(makeGrantedDatabase);

const owner = `owner_${process.pid}`;
const clerk = `clerk_${process.pid}`;
const { url } = await sharedPostgres();
const administrator = new SQL({ url, max: 1 });
await administrator.unsafe(`CREATE ROLE ${owner} LOGIN; CREATE ROLE ${clerk} LOGIN`);
await administrator.unsafe(`GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO ${owner}`);
afterAll(async () => {
  await administrator.unsafe(`DROP OWNED BY ${owner}, ${clerk} CASCADE; DROP ROLE ${owner}, ${clerk}`);
  await administrator.close();
});

/** Returns a database whose schema does not exist yet. */
async function makeDatabaseWithoutSchema(): Promise<TestDatabase & { readonly schema: string }> {
  const database = databaseOn((await sharedPostgres()).url);
  return { ...database, schema: (database.address as { schema: string }).schema };
}

function asUser(user: string, database: TestDatabase): TestDatabase {
  const { address } = database;
  if (address.kind !== "postgres") throw new Error("Only PostgreSQL has users.");
  const urls = address.urls.map((url) => url.replace("//postgres@", `//${user}@`));
  return { ...database, address: { ...address, urls }, [Symbol.asyncDispose]: async () => {} };
}

const migrate = (user: string, database: TestDatabase, ...args: string[]) =>
  runProgram(["migrate", "--database", urlOf(asUser(user, database)), ...args]);

const check = (user: string, database: TestDatabase) =>
  runProgram(["check", "--database", urlOf(asUser(user, database))]);

const serve = (database: TestDatabase) =>
  runProgram(["serve", "--port", "0", "--log-level", "off", "--database", urlOf(asUser(clerk, database))]);

async function countPets({ schema }: { readonly schema: string }): Promise<number> {
  const [row] = await administrator.unsafe(`SELECT count(*)::int AS count FROM ${schema}.pets`);
  return row.count;
}

/** Returns the GRANT statements of the guide, with the given schema and the clerk as the user. */
function listGrantStatements(schema: string): string[] {
  const guide = readFileSync(join(projectFolder, "docs/scaling.md"), "utf8");
  const statements = guide.match(/^GRANT .* TO clerk;$/gm) ?? [];
  return statements.map((text) => text.replaceAll("animal_store", schema).replace(/clerk;$/, `${clerk};`));
}

/** Returns a database that the owner has migrated, with the grants of the guide. */
async function makeGrantedDatabase() {
  const database = await makeDatabaseWithoutSchema();
  expect(await migrate(owner, database)).toMatchObject({ exitCode: 0, stderr: "" });
  for (const grant of listGrantStatements(database.schema)) await database.run(grant);
  return database;
}

it("a user with the privileges of the guide can run every check of the store, except the check that only the owner may run", async (database) => {
  await database.fill(3);
  const { stdout, exitCode } = await check(clerk, database);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^skipped {2}no id will be assigned twice: .* run this as the owner of the schema\.$/m);
  expect((await check(owner, database)).stdout).toMatch(/^ok {7}no id will be assigned twice$/m);
});

it("a user with the privileges of the guide cannot copy the store, because only the owner may see the sequences", async (database) => {
  await using target = await makeDatabase("sqlite");
  await database.fill(3);
  await database.run("DELETE FROM pets WHERE id = 3");
  const copy = (user: string) => runProgram(["copy", "--from", urlOf(asUser(user, database)), "--to", urlOf(target)]);
  expect(await copy(clerk)).toEqual({
    stdout: "",
    stderr:
      "animal-store: The PostgreSQL user may not see which ids were assigned; run this as the owner of the schema.\n",
    exitCode: 2,
  });
  expect(target.address.kind === "sqlite" && existsSync(target.address.path)).toBe(false);
  expect(await copy(owner)).toMatchObject({ stdout: expect.stringContaining("animals 2,"), exitCode: 0 });
  await using service = await startServiceOn(target);
  const { json } = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  expect(json).toMatchObject({ id: 4 });
});

test.each([
  ["set the ids", "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA"],
  ["change events", "GRANT ALL ON ALL SEQUENCES IN SCHEMA"],
])(
  "a user with privileges on tables and sequences cannot copy into the store, because only the owner may %s",
  async (_, grant) => {
    await using source = await makeDatabase("sqlite");
    await using database = await makeGrantedDatabase();
    await (await openStore(source.address, { poolSize: 1, onDeath: () => {} })).close();
    await source.fill(3);
    await database.run(`${grant} ${database.schema} TO ${clerk}`);
    const result = await runProgram(["copy", "--from", urlOf(source), "--to", urlOf(asUser(clerk, database))]);
    expect(result).toMatchObject({ stdout: "", exitCode: 2 });
    expect(result.stderr).toMatch(
      /^animal-store: The PostgreSQL user may not write the copied data \([^\n]*permission denied for [^\n]*\)\. Run this as the owner of the schema\.\n$/,
    );
    expect(await countPets(database)).toBe(0);
  },
);

it("a user with the privileges of the guide can serve all operations and clean up after the owner has migrated", async (database) => {
  expect(await migrate(clerk, database, "--dry-run")).toEqual({
    stdout: "The schema is up to date.\n",
    stderr: "",
    exitCode: 0,
  });

  // The long interval keeps the service from cleaning up by itself before the check below.
  let elapsedMs = 0;
  const parts = { tidyEveryMs: 3_600_000 };
  await using service = await startServiceOn(asUser(clerk, database), parts, { stopwatch: () => elapsedMs });
  await checkAgainstModel([service], 60, Math.floor(Math.random() * 2 ** 31));

  const rowsOf = (table: string) => administrator.unsafe(`SELECT * FROM ${database.schema}.${table}`);
  for (let count = 0; count < 60; count++) {
    const { json } = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    await service.client.call(`/v1/pets/${(json as { id: number }).id}`, { method: "DELETE" });
  }
  await database.run("INSERT INTO claims VALUES ('old', 'old', '{}', 1, 0)");
  const changes = (await rowsOf("inventory_changes")).length;
  expect(changes).toBeGreaterThan(100);
  // Advances the clock, because the service lets nothing expire in its first hour.
  elapsedMs = 3_600_000;
  await service.service.tidy();
  expect((await rowsOf("inventory_changes")).length).toBeLessThan(10);
  expect(await rowsOf("claims WHERE name = 'old'")).toHaveLength(0);

  const createResponse = await service.client.call("/v1/keys", { body: { name: "till", scope: "read" } });
  const { id, key } = createResponse.json as { id: number; key: string };
  await service.client.call("/v1/pets", { key });
  await service.service.recordUses();
  expect(await service.store.keys.findByHash(hashKey(key))).toMatchObject({ id, lastUsedAt: expect.any(Number) });

  // The guide grants no other privileges.
  const attempt = administrator.begin(async (transaction) => {
    await transaction.unsafe(`SET LOCAL ROLE ${clerk}; DELETE FROM ${database.schema}.orders`);
  });
  expect(await attempt.catch(String)).toContain("permission denied");
});

it("a user with the privileges of the guide can start the program and manage keys from the command line", async (database) => {
  const address = urlOf(asUser(clerk, database));
  const createResult = await runProgram([
    "keys",
    "create",
    "--name",
    "till",
    "--scope",
    "write",
    "--database",
    address,
  ]);
  expect(createResult).toMatchObject({ exitCode: 0 });
  const key = createResult.stdout.trim();
  await using program = await RunningProgram.start(address, { args: ["--log-level", "off"] });
  expect((await program.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
  for (const command of [["list"], ["rotate", "1"], ["revoke", "1"]]) {
    expect(await runProgram(["keys", ...command, "--database", address])).toMatchObject({ exitCode: 0 });
  }
  expect(await program.signal("SIGTERM")).toBe(0);
});

test("a user without the privileges of the guide is shown the missing grants by migrate --dry-run and, in one line, by serve", async () => {
  await using database = await makeDatabaseWithoutSchema();
  await migrate(owner, database);
  const grants = listGrantStatements(database.schema);
  expect(grants).toHaveLength(5);
  const formatMissingGrants = (statements: readonly string[]) =>
    statements.map((text) => `Missing grant: ${text}\n`).join("");
  expect(await migrate(clerk, database, "--dry-run")).toEqual({
    stdout: formatMissingGrants(grants),
    stderr: "",
    exitCode: 0,
  });
  expect(await serve(database)).toEqual({
    stdout: "",
    stderr: `animal-store: The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${grants.join(" ")}\n`,
    exitCode: 2,
  });
  for (const grant of grants) await database.run(grant);
  await database.run(`REVOKE UPDATE ON keys FROM ${clerk}; REVOKE UPDATE ON orders FROM ${clerk}`);
  const missing = `GRANT UPDATE ON ${database.schema}.orders, ${database.schema}.keys TO ${clerk};`;
  expect(await migrate(clerk, database, "--dry-run")).toMatchObject({ stdout: formatMissingGrants([missing]) });
});

it("if row-level security hides the rows of a table, the user is shown the statement that creates the missing policy", async (database) => {
  for (const table of ["keys", "migrations"]) await database.run(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  const policies = ["keys", "migrations"].map(
    (table) => `CREATE POLICY animal_store ON ${database.schema}.${table} TO ${clerk} USING (true);`,
  );
  const { address } = asUser(clerk, database);
  expect((await planMigration(address)).missingGrants).toEqual(policies);
  expect(await runProgram(["keys", "list", "--database", urlOf(asUser(clerk, database))])).toEqual({
    stdout: "",
    stderr: `animal-store: The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${policies.join(" ")}\n`,
    exitCode: 2,
  });
  for (const policy of policies) await database.run(policy);
  const store = await openExistingStore(address, { poolSize: 1, onDeath: () => {} });
  const key = { name: "till", scope: "read", createdAt: 1, expiresAt: null } as const;
  expect(await store.keys.create(key, { hash: hashKey("till") })).toMatchObject({ id: 1, name: "till" });
  await store.close();
});

test("if there is no schema, a user who may not migrate is told in one line that another user must migrate", async () => {
  await using database = await makeDatabaseWithoutSchema();
  const plan = await migrate(clerk, database, "--dry-run");
  expect(plan.stdout).toContain("Pending: lines of keys (online)\n");
  const { stderr, exitCode } = await serve(database);
  expect(stderr).toMatch(
    /^animal-store: The schema of the database is not up to date, and the PostgreSQL user is not allowed to change it\. Run animal-store migrate as a user who is; pending: animals and keys; .*\.\n$/,
  );
  expect(exitCode).toBe(2);
});

it("if a migration is pending, a user who may not migrate is told in one line that another user must migrate", async (database) => {
  await database.run("DELETE FROM migrations WHERE version > 1");
  const { stderr, exitCode } = await serve(database);
  expect(stderr).toContain("Run animal-store migrate as a user who is; pending: orders, categories,");
  expect([stderr.match(/\n/g)?.length, exitCode]).toEqual([1, 2]);
});
