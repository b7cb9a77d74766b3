import { expect, test } from "bun:test";
import { SQL } from "bun";
import { databaseOn, sharedPostgres, urlOf } from "../support/database.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram, runProgram } from "../support/program.ts";

/** A port without a listener. */
const deadPort = 1;

const expectWorkingService = async ({ client }: RunningProgram) => {
  const pet = await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  expect(pet.status).toBe(201);
  expect((await client.call("/v1/store/orders", { body: { petId: 1 } })).status).toBe(201);
  expect((await client.call("/v1/pets?status=pending")).json).toMatchObject([{ id: 1 }]);
};

test("DATABASE_URL may name several PostgreSQL servers, one of which is unreachable", async () => {
  await using database = databaseOn((await sharedPostgres()).url);
  const url = urlOf(database).replace("@127.0.0.1:", `@127.0.0.1:${deadPort},127.0.0.1:`);
  await using program = await RunningProgram.start(undefined, { environment: { DATABASE_URL: url } });
  await expectWorkingService(program);
});

test.each(["sqlite:elsewhere.db", "mysql://127.0.0.1:1/x", "postgres://127.0.0.1:1/x"])(
  "DATABASE_URL=%s has no effect if --database names another database",
  async (url) => {
    await using database = databaseOn((await sharedPostgres()).url);
    await using program = await RunningProgram.start(urlOf(database), { environment: { DATABASE_URL: url } });
    await expectWorkingService(program);
  },
);

const startAndFail = async (url: string) => {
  const { stdout, stderr, exitCode } = await runProgram(["serve", "--port", "0", "--database", url]);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^animal-store: The PostgreSQL database cannot be used: [^\n]+\. [A-Z][^\n]+\.\n$/);
  return { stderr, exitCode };
};

test("serve exits with 3 if nothing listens on the port of the database", async () => {
  const { stderr, exitCode } = await startAndFail(`postgres://u@127.0.0.1:${deadPort}/d`);
  expect(stderr).toContain("ERR_POSTGRES_CONNECTION_REFUSED");
  expect(exitCode).toBe(3);
});

test("serve exits with 3 if the database server does not respond", async () => {
  await using server = await PostgresServer.start();
  using _ = server.freeze();
  expect((await startAndFail(server.url)).exitCode).toBe(3);
});

test("serve exits with 3 if the database server has no connection left", async () => {
  await using server = await PostgresServer.start();
  await using sql = new SQL({ url: server.url, max: 1 });
  await sql`CREATE ROLE clerk LOGIN CONNECTION LIMIT 0`;
  const { stderr, exitCode } = await startAndFail(server.url.replace("postgres@", "clerk@"));
  expect(stderr).toContain(": 53300: ");
  expect(exitCode).toBe(3);
});

test("serve exits with 2 if the database does not exist", async () => {
  const { url } = await sharedPostgres();
  const { stderr, exitCode } = await startAndFail(url.replace(/[^/]*$/, "nowhere"));
  expect(stderr).toContain(": 3D000: ");
  expect(exitCode).toBe(2);
});
