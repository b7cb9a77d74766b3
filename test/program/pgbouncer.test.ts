import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { checkAgainstModel } from "../model/run.ts";
import type { CheckedResponse, Client } from "../support/client.ts";
import { testUnless } from "../support/conditional-test.ts";
import { databaseOn, sharedPostgres, type TestDatabase, urlOf } from "../support/database.ts";
import { PgBouncer, poolerSkipReason, transactionPoolerSkipReason } from "../support/pgbouncer.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { startServiceOn } from "../support/service.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 7 };

const server = await sharedPostgres();

const skipSuffix = (reason: string | undefined) => (reason ? ` (skipped: ${reason})` : "");

function throughPooler(pooler: PgBouncer, database: TestDatabase): TestDatabase {
  const { address } = database;
  if (address.kind !== "postgres") throw new Error("PgBouncer is for PostgreSQL.");
  const urls = address.urls.map((url) => pooler.urlThrough(url));
  return { ...database, address: { ...address, urls }, [Symbol.asyncDispose]: async () => {} };
}

describe.skipIf(transactionPoolerSkipReason !== undefined)(
  `behind PgBouncer with the settings of the guide,${skipSuffix(transactionPoolerSkipReason)}`,
  () => {
    test("two instances perform all operations concurrently behind PgBouncer", async () => {
      await using pooler = await PgBouncer.start(server, { default_pool_size: "3" });
      await using database = databaseOn(server.url);
      await using one = await startServiceOn(throughPooler(pooler, database));
      await using other = await startServiceOn(throughPooler(pooler, database));
      await checkAgainstModel([one, other], 60, Math.floor(Math.random() * 2 ** 31));
      await Promise.all([one.service.tidy(), other.service.tidy()]);
      await Promise.all([one.service.recordUses(), other.service.recordUses()]);
    });

    test("many requests of three instances share three server connections of PgBouncer", async () => {
      await using pooler = await PgBouncer.start(server, { default_pool_size: "3" });
      await using database = databaseOn(server.url);
      await using instances = new AsyncDisposableStack();
      const clients: Client[] = [];
      for (let count = 0; count < 3; count++) {
        clients.push(instances.use(await startServiceOn(throughPooler(pooler, database), {}, { poolSize: 10 })).client);
      }
      const created = new Set<number>();
      await Promise.all(
        Array.from({ length: 90 }, async (_, worker) => {
          const client = clients[worker % 3] ?? expect.unreachable();
          for (let round = 0; round < 10; round++) {
            const name = `animal ${worker} ${round}`;
            const headers = { ...(worker % 2 ? { "idempotency-key": name.replaceAll(" ", "-") } : {}) };
            const response = await client.call("/v1/pets", { body: { ...rex, name }, headers });
            expect(response.status).toBe(201);
            const { id } = response.json as { id: number };
            expect((await client.call(`/v1/pets?id=${id}`)).json).toEqual([{ ...rex, name, id, status: "available" }]);
            created.add(id);
          }
        }),
      );
      expect(created.size).toBe(900);
      await using sql = new SQL({ url: server.url, max: 1 });
      const sessions = await sql`
        SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'animal-store %' AND datname = current_database()`;
      expect(sessions.length).toBeWithin(1, 4);
    });

    test("migrate, serve, keys and copy work behind PgBouncer", async () => {
      using folder = temporaryFolder();
      await using pooler = await PgBouncer.start(server);
      await using database = databaseOn(server.url);
      const address = urlOf(throughPooler(pooler, database));
      const run = async (...args: string[]) => {
        const { exitCode, stdout, stderr } = await runProgram(args);
        if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
        return stdout;
      };
      expect(await run("migrate", "--dry-run", "--database", address)).toStartWith("Pending: ");
      expect(await run("migrate", "--database", address)).toStartWith("Done: ");
      expect(await run("migrate", "--database", address)).toBe("The schema is up to date.\n");
      const key = (await run("keys", "create", "--name", "till", "--scope", "write", "--database", address)).trim();
      await using program = await RunningProgram.start(address, { args: ["--log-level", "off"] });
      for (let count = 0; count < 5; count++) {
        expect((await program.client.call("/v1/pets", { key, body: rex })).status).toBe(201);
      }
      expect(await program.signal("SIGTERM")).toBe(0);
      expect(await run("keys", "list", "--database", address)).toContain("till");

      const file = `sqlite:${join(folder.path, "animals.db")}`;
      expect(await run("copy", "--from", address, "--to", file)).toContain("Copied: animals 5,");
      await using target = databaseOn(server.url);
      const targetUrl = urlOf(throughPooler(pooler, target));
      expect(await run("copy", "--from", file, "--to", targetUrl)).toContain("Copied: animals 5,");
    });

    test("a statement that misses its deadline behind PgBouncer is cancelled on the server, and its connection is reused", async () => {
      // The guide requires this setting: PgBouncer may lose the request to cancel a statement that is being prepared.
      await using own = await PostgresServer.start({ client_connection_check_interval: "1s" });
      await using pooler = await PgBouncer.start(own, { default_pool_size: "2" });
      const database = { ...databaseOn(own.url), [Symbol.asyncDispose]: async () => {} };
      await using service = await startServiceOn(throughPooler(pooler, database));
      await service.client.call("/v1/pets", { body: rex });
      await using blocker = new SQL({ url: own.url, max: 1 });
      const { schema } = database.address as { schema: string };
      await blocker.unsafe(`BEGIN; LOCK TABLE ${schema}.pets IN EXCLUSIVE MODE`);
      const response = await service.client.call("/v1/pets", { body: rex });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
      await untilNoLockWaits(blocker, schema);
      await blocker.unsafe("COMMIT");
      expect((await service.client.call("/v1/pets", { body: rex })).status).toBe(201);
      expect((await service.client.call("/v1/pets")).json).toHaveLength(2);
    });

    test("the error says that nothing was saved if PgBouncer has no connection left in time", async () => {
      await using pooler = await PgBouncer.start(server, { default_pool_size: "1" });
      await using database = databaseOn(server.url);
      await using service = await startServiceOn(throughPooler(pooler, database));
      await using other = new SQL({ url: pooler.urlThrough(server.url), max: 1 });
      {
        using holder = await other.reserve();
        await holder.unsafe("BEGIN");
        const response = await service.client.call("/v1/pets", { body: rex });
        expect(response.json).toMatchObject({
          status: 503,
          message: "The store cannot be reached now. Nothing was saved; try again.",
        });
        await holder.unsafe("COMMIT");
      }
      await untilServed(() => service.client.call("/v1/pets", { body: rex }));
      expect((await service.client.call("/v1/pets")).json).toHaveLength(1);
    });

    test("the error says that the outcome is unknown if PgBouncer loses the server after a commit was sent", async () => {
      using address = await MovableAddress.to(server.port);
      await using pooler = await PgBouncer.start(address);
      await using database = databaseOn(server.url);
      await using service = await startServiceOn(throughPooler(pooler, database));
      const add = (name: string, headers: Readonly<Record<string, string>> = {}) =>
        service.client.call("/v1/pets", { body: { ...rex, name }, headers });
      const message = "The store did not respond in time. It is not known whether the request was carried out.";
      expect((await add("Rex")).status).toBe(201);
      address.cutAfter("Alone");
      expect((await add("Alone")).json).toMatchObject({ status: 503, message });
      address.cutAfter("Claimed", "COMMIT");
      expect((await add("Claimed", { "idempotency-key": "claimed" })).json).toMatchObject({ status: 503, message });

      address.cutAfter("Open");
      expect((await add("Open", { "idempotency-key": "open" })).json).toMatchObject({
        status: 503,
        message: "The store cannot be reached now. Nothing was saved; try again.",
      });
      address.cutAfter("sought");
      expect((await service.client.call("/v1/pets?name=Sought")).json).toMatchObject({
        status: 503,
        message: "The store cannot be reached now; try again.",
      });
      const { json } = await service.client.call("/v1/pets");
      expect((json as { name: string }[]).map(({ name }) => name)).toEqual(["Rex", "Alone", "Claimed"]);
    });

    test("requests through PgBouncer succeed again once a crashed server is back", async () => {
      await using own = await PostgresServer.start();
      await using pooler = await PgBouncer.start(own);
      const database = { ...databaseOn(own.url), [Symbol.asyncDispose]: async () => {} };
      await using service = await startServiceOn(throughPooler(pooler, database));
      expect((await service.client.call("/v1/pets", { body: rex })).status).toBe(201);
      await own.kill();
      expect((await service.client.call("/v1/pets", { body: rex })).status).toBe(503);
      await own.start();
      await untilServed(() => service.client.call("/v1/pets", { body: rex }));
      await untilServed(() => service.client.call("/readyz"));
    });
  },
);

testUnless(poolerSkipReason, "any version of PgBouncer works in session mode", async () => {
  await using pooler = await PgBouncer.start(server, { pool_mode: "session" });
  await using database = databaseOn(server.url);
  await using service = await startServiceOn(throughPooler(pooler, database));
  expect((await service.client.call("/v1/pets", { body: rex })).status).toBe(201);
});

describe.skipIf(poolerSkipReason !== undefined)(`unsuitable poolers${skipSuffix(poolerSkipReason)}`, () => {
  const lossySettings: Record<string, string> = transactionPoolerSkipReason ? {} : { max_prepared_statements: "0" };
  const lostStatementsProblem = "The pooler in front of PostgreSQL loses prepared statements.";
  const lostStatementsAdvice = "Use PgBouncer 1.21 or later with max_prepared_statements above 0, or its session mode.";
  const modeProblem = "The pooler in front of PostgreSQL is in statement mode, which does not support transactions.";
  const modeAdvice = "Set its pool_mode to transaction or session.";
  const cases: [pooler: string, changes: Readonly<Record<string, string>>, problem: string, advice: string][] = [
    ["a pooler that loses prepared statements", lossySettings, lostStatementsProblem, lostStatementsAdvice],
    ["a pooler without transactions", { pool_mode: "statement" }, modeProblem, modeAdvice],
  ];

  test.each(cases)("every command refuses %s with a one-line error", async (_, changes, problem, advice) => {
    await using pooler = await PgBouncer.start(server, changes);
    await using database = databaseOn(server.url);
    expect(await runProgram(["migrate", "--database", urlOf(database)])).toMatchObject({ exitCode: 0 });
    for (const args of [["serve", "--port", "0"], ["migrate"], ["migrate", "--dry-run"], ["check"], ["keys", "list"]]) {
      expect(await runProgram([...args, "--database", urlOf(throughPooler(pooler, database))])).toEqual({
        stdout: "",
        stderr: `animal-store: ${problem} ${advice}\n`,
        exitCode: 2,
      });
    }
  });

  test.each(cases)("the doctor command reports %s", async (_, changes, problem, advice) => {
    await using pooler = await PgBouncer.start(server, changes);
    await using database = databaseOn(server.url);
    const { stdout } = await runProgram(["doctor", "--json", "--database", urlOf(throughPooler(pooler, database))]);
    const { diagnoses } = JSON.parse(stdout);
    expect(diagnoses).toContainEqual({ about: "store", isWell: false, found: problem.replace(/\.$/, ""), advice });
  });
});

async function untilNoLockWaits(sql: SQL, schema: string): Promise<void> {
  await until(async () => {
    const waiting: unknown[] = await sql.unsafe(
      `SELECT 1 FROM pg_locks WHERE NOT granted AND relation IN (
         SELECT oid FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = '${schema}'))`,
    );
    return waiting.length === 0;
  });
}

async function untilServed(send: () => Promise<CheckedResponse>): Promise<void> {
  await until(async () => {
    const { status } = await send();
    if (status !== 503) expect(status).toBeLessThan(300);
    return status !== 503;
  });
}
