import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { DatabaseAddress } from "../../src/base/database-address.ts";
import { fillDatabase } from "./animals.ts";
import { PostgresServer } from "./postgres.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { pause } from "./wait.ts";

export interface TestDatabase extends AsyncDisposable {
  readonly address: DatabaseAddress;
  run(sql: string): Promise<void>;
  /** Adds animals whose id determines the status (modulo 3) and the category (modulo 5). */
  fill(count: number): Promise<void>;
}

/** The engine of the HTTP tests, which the suite runs once on each engine. */
export const engine: Engine = process.env["TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite";

export type Engine = DatabaseAddress["kind"];

export function makeDatabase(kind: Engine): Promise<TestDatabase> {
  return kind === "postgres" ? makePostgresDatabase() : makeSqliteDatabase();
}

/** The environment variable with the port and the socket folder of the PostgreSQL server that test processes share, as JSON. */
export const sharedServerVariable = "TEST_POSTGRES";

export interface SharedPostgres extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly socketFolder: string;
}

/** Returns the database of this process, on the suite's server or on a server that is started on first use. */
export function sharedPostgres(): Promise<SharedPostgres> {
  const sharedServerJson = process.env[sharedServerVariable];
  sharedServer ??= sharedServerJson ? createProcessDatabase(JSON.parse(sharedServerJson)) : startSharedServer();
  return sharedServer;
}

/** Starts a server for tests that tolerate the load of other tests and need no durability. */
export function startSharedServer(): Promise<PostgresServer> {
  return PostgresServer.start({ max_connections: "500", fsync: "off" });
}

export async function stopSharedPostgres(): Promise<void> {
  await (await sharedServer)?.[Symbol.asyncDispose]();
  sharedServer = undefined;
}

/** Creates a database per process, because processes that share a database would compete for its advisory locks. */
async function createProcessDatabase(server: { port: number; socketFolder: string }): Promise<SharedPostgres> {
  const name = `test_${process.pid}_${Date.now()}`;
  const urlTo = (database: string) => `postgres://postgres@127.0.0.1:${server.port}/${database}`;
  const run = async (statement: string) => {
    await using sql = new SQL({ url: urlTo("postgres"), max: 1 });
    await sql.unsafe(statement);
  };
  await run(`CREATE DATABASE ${name}`);
  return {
    ...server,
    url: urlTo(name),
    [Symbol.asyncDispose]: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

let sharedServer: Promise<SharedPostgres> | undefined;
let schemaCount = 0;

async function makeSqliteDatabase(): Promise<TestDatabase> {
  const folder = makeTemporaryFolder("test");
  const path = join(folder, "animals.db");
  const withDatabase = (action: (database: Database) => void) => {
    using database = new Database(path);
    database.run("PRAGMA busy_timeout = 5000");
    action(database);
  };
  return {
    address: { kind: "sqlite", path },
    async run(sql) {
      withDatabase((database) => database.run(sql));
      // A store in this process serves all reads of a tick from one snapshot, so the change is visible only in the next tick.
      await new Promise(setImmediate);
    },
    async fill(count) {
      fillDatabase(path, count);
      await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makePostgresDatabase(): Promise<TestDatabase> {
  return databaseOn((await sharedPostgres()).url);
}

export function urlOf({ address }: TestDatabase): string {
  return address.kind === "sqlite" ? `sqlite:${address.path}` : `${address.urls[0]}?schema=${address.schema}`;
}

export function databaseOn(url: string): TestDatabase {
  const schema = `test_${process.pid}_${schemaCount++}`;
  const sql = new SQL({ url, max: 1, connection: { search_path: schema } });
  return databaseInSchema(sql, url, schema, async () => {
    await retryUntilConnected(() => sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
    await sql.close();
  });
}

function databaseInSchema(sql: SQL, url: string, schema: string, dispose: () => Promise<void>): TestDatabase {
  return {
    address: { kind: "postgres", urls: [url], schema, replicas: [] },
    async run(text) {
      await sql.unsafe(text);
    },
    async fill(count) {
      await sql.unsafe(`INSERT INTO pets (name, category_id, status)
        SELECT 'Animal ' || id, id % 5, (ARRAY['available', 'pending', 'sold'])[id % 3 + 1]
        FROM generate_series(1, ${count}) AS ids (id) ORDER BY id`);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Returns an empty database. Reuses a database with an unchanged schema, because creating a schema takes longer than most tests. */
export async function makeEmptyDatabase(kind: Engine): Promise<TestDatabase> {
  if (kind === "sqlite") return makeSqliteDatabase();
  const reused = emptyDatabases.pop() ?? databaseOn((await sharedPostgres()).url);
  let isChanged = false;
  return {
    ...reused,
    async run(text) {
      isChanged ||= /\b(alter|create|drop|migrations)\b/i.test(text);
      await reused.run(text);
    },
    async [Symbol.asyncDispose]() {
      if (isChanged) return await reused[Symbol.asyncDispose]();
      await retryUntilConnected(() => reused.run(deleteAllRows));
      emptyDatabases.push(reused);
    },
  };
}

const emptyDatabases: TestDatabase[] = [];

const maxDeleteBytes = 128 * 1024;

/**
 * Deletes all rows except for the migrations. TRUNCATE would create new files for tables and indexes, which takes longer than deleting a
 * few rows. Triggers are off, because deleting animals would write to the inventory. The lock waits for the last writes of stopped services.
 */
const deleteAllRows = `DO $$
  DECLARE
    names text;
    filled record;
  BEGIN
    SELECT string_agg(format('%I', relname), ', ' ORDER BY relname) INTO names FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'migrations';
    IF names IS NULL THEN RETURN; END IF;
    EXECUTE 'LOCK TABLE ' || names || ' IN EXCLUSIVE MODE';
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR filled IN
      SELECT format('%I', relname) AS name, pg_table_size(oid) AS size FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'migrations'
        AND pg_relation_size(oid) > 0
    LOOP
      IF filled.size > ${maxDeleteBytes} THEN EXECUTE 'TRUNCATE ' || filled.name || ' CASCADE';
      ELSE EXECUTE 'DELETE FROM ' || filled.name;
      END IF;
    END LOOP;
    PERFORM setval(oid, 1, false) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S';
  END $$`;

/** Retries while the server has no free connection, until the server has closed the connections of stopped services. */
async function retryUntilConnected(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { errno?: unknown }).errno !== tooManyConnectionsCode) throw error;
      await pause();
    }
  }
}

const tooManyConnectionsCode = "53300";
