import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { databaseOn, sharedPostgres, urlOf } from "../support/database.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram, runProgram } from "../support/program.ts";

/** A port that nothing listens on. */
const deadPort = 1;

describe("whatever DATABASE_URL holds, only the service reads it", () => {
  const serves = async ({ client }: RunningProgram) => {
    const pet = await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    expect(pet.status).toBe(201);
    expect((await client.call("/v1/store/orders", { body: { petId: 1 } })).status).toBe(201);
    expect((await client.call("/v1/pets?status=pending")).json).toMatchObject([{ id: 1 }]);
  };

  test("several addresses of PostgreSQL, of which one is dead", async () => {
    await using database = databaseOn((await sharedPostgres()).url);
    const url = urlOf(database).replace("@127.0.0.1:", `@127.0.0.1:${deadPort},127.0.0.1:`);
    await using program = await RunningProgram.start(undefined, { environment: { DATABASE_URL: url } });
    await serves(program);
  });

  test.each(["sqlite:elsewhere.db", "mysql://127.0.0.1:1/x", "postgres://127.0.0.1:1/x"])(
    "%s, while --database names another",
    async (url) => {
      await using database = databaseOn((await sharedPostgres()).url);
      await using program = await RunningProgram.start(urlOf(database), { environment: { DATABASE_URL: url } });
      await serves(program);
    },
  );
});

describe("a start is one line, and an exit code that says whether another may succeed,", () => {
  const start = async (url: string) => {
    const { stdout, stderr, exitCode } = await runProgram(["serve", "--port", "0", "--database", url]);
    expect(stdout).toBe("");
    // What happened, and what to do.
    expect(stderr).toMatch(/^animal-store: The PostgreSQL database cannot be used: [^\n]+\. [A-Z][^\n]+\.\n$/);
    return { stderr, exitCode };
  };

  test("3 when nothing listens there", async () => {
    const { stderr, exitCode } = await start(`postgres://u@127.0.0.1:${deadPort}/d`);
    expect(stderr).toContain("ERR_POSTGRES_CONNECTION_REFUSED");
    expect(exitCode).toBe(3);
  });

  test("3 when the server does not answer", async () => {
    await using server = await PostgresServer.start();
    using _ = server.freeze();
    expect((await start(server.url)).exitCode).toBe(3);
  });

  test("3 when the server has no connection left", async () => {
    await using server = await PostgresServer.start();
    await using sql = new SQL({ url: server.url, max: 1 });
    await sql`CREATE ROLE clerk LOGIN CONNECTION LIMIT 0`;
    const { stderr, exitCode } = await start(server.url.replace("postgres@", "clerk@"));
    expect(stderr).toContain(": 53300: ");
    expect(exitCode).toBe(3);
  });

  test("2 when the server has no such database", async () => {
    const { url } = await sharedPostgres();
    const { stderr, exitCode } = await start(url.replace(/[^/]*$/, "nowhere"));
    expect(stderr).toContain(": 3D000: ");
    expect(exitCode).toBe(2);
  });
});
