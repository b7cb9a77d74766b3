import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { ServiceError } from "../../src/domain/errors.ts";
import { type IndexedFilter, operator } from "../../src/domain/event.ts";
import type { OrderFilter } from "../../src/domain/order.ts";
import type { PageRequest } from "../../src/domain/page.ts";
import { type PetFilter, petStatuses } from "../../src/domain/pet.ts";
import type { EventWatch } from "../../src/store/events.ts";
import { openStore } from "../../src/store/open-store.ts";
import { batchSubject, maxBatchEvents } from "../../src/store/postgres/events/event-rows.ts";
import { EventSequencer, maxMovedAtOnce } from "../../src/store/postgres/events/event-sequencer.ts";
import { createEventStore } from "../../src/store/postgres/events/events.ts";
import { createRecordCounter, deleteExpiredRecords } from "../../src/store/postgres/idempotency.ts";
import { readCategoryInventory, sumUpInventory } from "../../src/store/postgres/inventory.ts";
import { maxPageSize } from "../../src/store/postgres/pages.ts";
import { createQuery, type Parameter, type Query, type Run } from "../../src/store/postgres/query.ts";
import { createStoreReads } from "../../src/store/postgres/reads.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { transactionFor } from "../../src/store/postgres/transaction.ts";
import { createTransfer } from "../../src/store/postgres/transfer.ts";
import type { Table } from "../../src/store/resource-table.ts";
import { runSteps, type Steps, sharedWrites, type Transaction } from "../../src/store/shared-writes.ts";
import type { EventStore } from "../../src/store/store.ts";
import { recordLifetimeMs } from "../../src/store/stored-outcome.ts";
import { tables as storedTables } from "../../src/store/tables.ts";
import { makeDatabase, sharedPostgres, type TestDatabase } from "../support/database.ts";
import { clearStatistics, forgeStatistics } from "../support/postgres-statistics.ts";

// These tests record the store's statements, and run them with all kinds of statistics, on rows so uneven that averages mislead.
const animalCount = 60_000;
const orderCount = 30_000;

let database: TestDatabase;
let connection: Connection;
let session: SQL;
let version: number;
let schema: string;
let log: EventStore;

beforeAll(async () => {
  database = await makeDatabase("postgres");
  const { address } = database;
  if (address.kind !== "postgres") throw new Error("This is not PostgreSQL.");
  schema = address.schema;
  await (await openStore(address, { poolSize: 1, onDeath: () => {} })).close();
  connection = new Connection({ ...address, poolSize: 1, role: "primary", note: () => {} });
  log = createEventStore(read, read, { add: () => () => {} } as unknown as EventWatch);
  session = new SQL({ url: (await sharedPostgres()).url, max: 1, connection: { search_path: schema } });
  for (const table of tables) await database.run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  const [server] = await session.unsafe<{ version: number }[]>(
    "SELECT current_setting('server_version_num')::integer / 10000 AS version",
  );
  version = server?.version ?? 0;
});

afterAll(async () => {
  await session.close();
  await connection.close();
  await database[Symbol.asyncDispose]();
});

describe("With any statistics, PostgreSQL reads hardly more rows than it returns", () => {
  test("plans that were cached while the tables were empty stay efficient", async () => {
    for (const table of tables) await database.run(`VACUUM ANALYZE ${table}`);
    const statements = await recordStatements(lists);
    await session.unsafe("SET plan_cache_mode = force_generic_plan");
    const names = await prepare(statements);
    for (const statement of statements) await session.unsafe(`EXECUTE ${renderCall(names, statement)}`);
    await fill();
    const faults: string[] = [];
    for (const statement of statements) faults.push(...findFaults(statement, await explain(names, statement)));
    await session.unsafe("DEALLOCATE ALL");
    expect(faults.filter(isUnexpected).slice(0, maxShownItems)).toEqual([]);
  });

  test("every list walks along an index, with each filter, on its first page and on far later pages", async () => {
    for (const table of tables) await database.run(`VACUUM ANALYZE ${table}`);
    const statements = await recordStatements(lists);
    const faults: string[] = [];
    await withEachStatistics(statistics, async (title) => {
      const names = await prepare(statements);
      for (const statement of statements) {
        const newFaults = findFaults(statement, await explain(names, statement));
        faults.push(...newFaults.map((fault) => `${title}: ${fault}`));
      }
      await session.unsafe("DEALLOCATE ALL");
    });
    expect(faults.filter(isUnexpected).slice(0, maxShownItems)).toEqual([]);
  });

  test("frequent statements that are not lists use indexes", async () => {
    const faults: string[] = [];
    for (const [title, work, walks = 1] of otherWork) {
      const statements = (await recordStatements([{ title, walks, work }])).filter(({ text }) => !isTrivial(text));
      expect(statements).not.toBeEmpty();
      await withEachStatistics(statistics.slice(0, 2), async (kind) => {
        for (const statement of statements) {
          if (statement.text.startsWith("SET LOCAL")) {
            await session.unsafe(statement.text);
            continue;
          }
          const names = await prepare([statement]);
          const newFaults = findFaults(statement, await explain(names, statement));
          faults.push(...newFaults.map((fault) => `${kind}: ${fault}`));
          await session.unsafe("DEALLOCATE ALL");
        }
      });
    }
    expect(faults.slice(0, maxShownItems)).toEqual([]);
  });

  test("reads of the event log walk along an index in each order", async () => {
    const limit = 20;
    const statements = await recordStatements(
      eventFilters.flatMap(([index, filter]) =>
        [eventRows / 4, undefined].flatMap((start): Work[] => [
          { title: `events after ${start}`, index, work: async () => log.read(filter, start ?? 0, limit) },
          { title: `events back from ${start}`, index, work: async () => log.readBackwards(filter, start, limit) },
        ]),
      ),
    );
    const faults: string[] = [];
    await withEachStatistics(statistics, async (title) => {
      const names = await prepare(statements);
      for (const statement of statements) {
        const plan = await explain(names, statement);
        const scans = listNodes(plan).filter((node) => /Scan/.test(node["Node Type"]) && node["Index Name"]);
        const others = scans.filter((node) => ![statement.index, "events_pkey"].includes(node["Index Name"]));
        const maxRows = Math.max(...scans.map((node) => node["Actual Rows"]));
        const isWalked = scans.some((node) => node["Index Name"] === statement.index);
        const isScanned = listNodes(plan).some((node) => node["Node Type"] === "Seq Scan");
        // An ascending read without a filter selects a range of positions, and so may read as many rows as its limit.
        const isNext = statement.index === "events_pkey" && statement.title.startsWith("events after");
        if (isScanned || !isWalked || others.length > 0 || maxRows > (isNext ? limit + 1 : 101)) {
          faults.push(`${title}, ${statement.title}: ${describeNode(plan)}`);
        }
      }
      await session.unsafe("DEALLOCATE ALL");
    });
    expect(faults.slice(0, maxShownItems)).toEqual([]);
  });

  test("reads of the event log use one cached plan for any number of types", async () => {
    const filters = eventFilters.flatMap(([, filter]) => (filter.types ? [filter] : []));
    // Repeats each read, because the server makes custom plans the first few times.
    for (const filter of filters) for (let round = 0; round < 10; round++) await log.read(filter, round, 20);
    const planned = await connection.query<{ isKept: boolean }>(
      `SELECT generic_plans > 0 AS "isKept" FROM pg_prepared_statements WHERE statement LIKE $1`,
      ["%events.type <= %"],
    );
    expect(new Set(planned.map(({ isKept }) => isKept))).toEqual(new Set([true]));
  });

  test("reading a page of the event log touches few batches, and splits none in the server", async () => {
    const [limit, middle] = [100, eventRows + 100 * maxBatchEvents + maxBatchEvents / 2];
    const filters: IndexedFilter[] = [{}, { types: ["pet.created", "pet.updated"] }, { subject: `pets/${middle}` }];
    const reads = await recordStatements(
      filters.flatMap((filter): Work[] => [
        { title: `after ${middle} ${JSON.stringify(filter)}`, work: async () => log.read(filter, middle, limit) },
        {
          title: `back from ${middle} ${JSON.stringify(filter)}`,
          work: async () => log.readBackwards(filter, middle, limit),
        },
      ]),
    );
    const copies = await recordStatements([
      {
        title: "a page to copy",
        work: async () => createTransfer(recordedConnection).read(eventTable, [middle], limit),
      },
    ]);
    await session.unsafe("BEGIN");
    await session.unsafe(`INSERT INTO events (position, size, id, type, subject, at, body)
      SELECT min(id), ${maxBatchEvents}, 'evt_' || max(id), 'pet.created', ${batchSubject("min(id)::text")}, 1, string_agg('{}', E'\\n')
      FROM generate_series(${eventRows + 1}, ${eventRows + 200 * maxBatchEvents}) AS ids (id) GROUP BY (id - 1) / ${maxBatchEvents}`);
    const names = await prepare([...reads, ...copies]);
    const explainAll = async (statements: readonly Statement[]) =>
      await Promise.all(statements.map((statement) => explain(names, statement)));
    const [readPlans, copyPlans] = [await explainAll(reads), await explainAll(copies)];
    await session.unsafe("DEALLOCATE ALL");
    await session.unsafe("ROLLBACK");
    // A page begins in one batch and ends in the next one.
    for (const plan of readPlans) expect([plan["Actual Rows"] <= 2, countSplitEvents(plan)]).toEqual([true, 0]);
    for (const plan of copyPlans) {
      expect(countSplitEvents(plan)).toBeGreaterThanOrEqual(limit);
      expect(countSplitEvents(plan)).toBeLessThanOrEqual(limit + 3 * maxBatchEvents);
    }
  });

  test("moving events into the event log takes linear time, even with a plan that was cached while the inbox was empty", async () => {
    const sequencer = new EventSequencer(
      recordedConnection,
      () => {},
      () => {},
    );
    const statements = await recordStatements([{ title: "moving", work: () => sequencer.sequenceAll() }]);
    await sequencer.close();
    const start = statements.findIndex(({ text }) => text.includes("DELETE"));
    const statement = statements[start];
    if (!statement) throw new Error("No event was moved.");
    await database.run("VACUUM ANALYZE event_inbox");
    await session.unsafe("BEGIN");
    for (const { text } of statements.slice(0, start)) await session.unsafe(text);
    await session.unsafe("SET LOCAL plan_cache_mode = force_generic_plan");
    const names = await prepare([statement]);
    await session.unsafe(`EXECUTE ${renderCall(names, statement)}`);
    await session.unsafe(`INSERT INTO event_inbox (id, type, subject, at, body)
      SELECT 'evt_' || id, 'pet.created', 'pets/1', 1, '{}' FROM generate_series(1, 3 * ${maxMovedAtOnce}) AS ids (id)`);
    const plan = await explain(names, statement);
    await session.unsafe("DEALLOCATE ALL");
    await session.unsafe("ROLLBACK");
    const maxRows = Math.max(
      ...listNodes(plan).map(
        (node) =>
          (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0)) *
          node["Actual Loops"],
      ),
    );
    expect(maxRows).toBe(maxMovedAtOnce);
  });

  test("summing up the inventory reads each change once", async () => {
    const changes = 5_000;
    await database.run("TRUNCATE inventory_changes");
    await database.run("INSERT INTO inventory_changes (status, change) VALUES ('sold', 1)");
    await database.run("VACUUM ANALYZE inventory_changes");
    const statements = await recordStatements([{ title: "the sum", work: () => sumUpInventory(recordedConnection) }]);
    const settings = statements.filter(({ text }) => text.startsWith("SET LOCAL"));
    const statement = statements.find((one) => !settings.includes(one));
    if (!statement) throw new Error("The inventory was not summed up.");
    await session.unsafe("BEGIN");
    for (const { text } of settings) await session.unsafe(text);
    await session.unsafe("SET LOCAL plan_cache_mode = force_generic_plan");
    const names = await prepare([statement]);
    await session.unsafe(`EXECUTE ${renderCall(names, statement)}`);
    await session.unsafe(
      `INSERT INTO inventory_changes (status, change) SELECT 'sold', 1 FROM generate_series(1, ${changes})`,
    );
    const plan = await explain(names, statement);
    await session.unsafe("ROLLBACK");
    const maxRows = Math.max(...listNodes(plan).map((node) => node["Actual Rows"] * node["Actual Loops"]));
    expect(maxRows).toBeGreaterThan(changes);
    expect(maxRows).toBeLessThan(2 * changes);
  });
});

/** Counts the events that the server has split out of rows. The program should split rows instead. */
function countSplitEvents(plan: PlanNode): number {
  const splitNodes = listNodes(plan).filter(({ Alias }) => Alias === "lines");
  return splitNodes.reduce(
    (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
    0,
  );
}

/** Fills the tables: nearly all of the oldest animals and orders have the same values, and rare values have the highest ids. */
async function fill(): Promise<void> {
  await database.run(`INSERT INTO pets (name, category_id, status)
    SELECT 'Animal ' || id, CASE WHEN id <= ${animalCount * 0.95} THEN 1 ELSE id % 50 END,
           CASE WHEN id <= ${animalCount * 0.8} THEN 'sold' WHEN id <= ${animalCount - 100} THEN 'pending' ELSE 'available' END
    FROM generate_series(1, ${animalCount}) AS ids (id) ORDER BY id`);
  await database.run(`INSERT INTO orders (pet_id, status, created_at, updated_at)
    SELECT CASE WHEN id <= ${orderCount * 0.5} THEN 1 ELSE id END,
           CASE WHEN id <= ${orderCount * 0.8} THEN 'completed' WHEN id <= ${orderCount - 100} THEN 'cancelled' ELSE 'placed' END, 1, 1
    FROM generate_series(1, ${orderCount}) AS ids (id) ORDER BY id`);
  await database.run(`INSERT INTO categories (id, name)
    SELECT id, 'Category ' || CASE WHEN id <= ${categoryRows * 0.5} THEN 1 ELSE id END
    FROM generate_series(1, ${categoryRows}) AS ids (id)`);
  await database.run(`INSERT INTO claims (name, fingerprint, conclusion, created_at, line)
    SELECT decode(md5(id::text), 'hex'), '\\x00', repeat('x', 200), id, CASE WHEN id <= 19950 THEN 1 ELSE 2 END
    FROM generate_series(1, 20000) AS ids (id)`);
  await database.run(`INSERT INTO keys (name, scope, hash, created_at)
    SELECT 'Key', 'read', decode(md5(id::text), 'hex'), 1 FROM generate_series(1, 3000) AS ids (id)`);
  await database.run(`INSERT INTO events (position, size, id, type, subject, at, body)
    SELECT id, 1, 'evt_' || id, CASE WHEN id <= ${eventRows - 50} THEN 'pet.created' ELSE 'order.placed' END,
           CASE WHEN id <= ${eventRows - 50} THEN 'pets/1' ELSE 'orders/' || id END, 1, '{}'
    FROM generate_series(1, ${eventRows}) AS ids (id)`);
}

const tables = ["pets", "orders", "categories", "claims", "keys", "events"] as const;
const categoryRows = 20_000;
const eventRows = 20_000;

interface Statement {
  readonly title: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
  readonly index?: string | undefined;
  /** Number of index walks, or of lookups by id, whose rows the plan may merge by sorting. */
  readonly walks?: number | undefined;
}

interface Work {
  readonly title: string;
  readonly index?: string;
  readonly walks?: number;
  work(): Promise<unknown>;
}

let recordedStatements: Omit<Statement, "title">[] = [];

/** Does the work, and returns the statements that the store has run. */
async function recordStatements(all: readonly Work[]): Promise<Statement[]> {
  const statements: Statement[] = [];
  for (const { title, index, walks, work } of all) {
    recordedStatements = [];
    await work();
    statements.push(...recordedStatements.map((statement) => ({ ...statement, title, index, walks })));
  }
  return statements;
}

const withRecording = (query: Query): Query =>
  createQuery(query.schema, (text, parameters = []) => {
    recordedStatements.push({ text, parameters });
    return query(text, parameters);
  });

const read = Object.defineProperty(
  ((text, parameters) => withRecording(connection.query)(text, parameters)) as Run,
  "schema",
  { get: () => connection.schema },
) as Query;

/** Runs the work in a transaction, records its statements, and rolls the transaction back. */
async function runAndRollBack<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  const rollback = new ServiceError("Conflict", "This was to be rolled back.");
  await connection
    .transaction(async (query) => {
      result = await work(withRecording(query));
      throw rollback;
    })
    .catch((error) => {
      if (error !== rollback) throw error;
    });
  return result as Result;
}

const recordedConnection = {
  query: read,
  transaction: runAndRollBack,
  get schema() {
    return connection.schema;
  },
} as unknown as Connection;

const { pets, categories, orders: orderList, keys } = createStoreReads(read, read);
const write = <Result>(steps: (transaction: Transaction) => Steps<Result>) =>
  runAndRollBack((query) => runSteps(steps(transactionFor(query, { actor: operator, request: null, at: 0 }))));

const eventTable = storedTables.find(({ name }) => name === "events") as Table;
const eventFilters: readonly [index: string, filter: IndexedFilter][] = [
  ["events_pkey", {}],
  ["events_by_type", { types: ["pet.created"] }],
  ["events_by_type", { types: ["order.placed"] }],
  ["events_by_type", { types: ["order.placed", "pet.created", "pet.deleted"] }],
  ["events_by_subject", { subject: "pets/1" }],
  ["events_by_subject", { subject: `orders/${eventRows}` }],
];

const lists: readonly Work[] = [
  ...createLists("pets", animalCount, (filter: PetFilter, page) => pets.list(filter, page), [
    ["pkey", {}],
    ...(["available", "pending", "sold"] as const).flatMap((status): [string, PetFilter][] => [
      ["by_status", { status }],
      ["by_category_and_status", { categoryId: 1, status }],
      ["by_category_and_status", { categoryId: 2, status }],
    ]),
    ["by_category_and_status", { categoryId: 1 }, petStatuses.length],
    ["by_category_and_status", { categoryId: 2 }, petStatuses.length],
    ["by_status", { status: ["available", "sold"] }],
    ["by_status", { status: ["available", "pending", "sold"] }],
    ["by_category_and_status", { categoryId: 1, status: ["available", "pending", "sold"] }],
    ["by_category_and_status", { categoryId: 2, status: ["available", "pending"] }],
  ]),
  ...["animal", "animal 9", "z"].flatMap((name) =>
    [{}, { after: animalCount / 3, afterName: `${name} 1` }].map((start) => ({
      title: `pets by name ${name} ${JSON.stringify(start)}`,
      index: "pets_by_name",
      work: async () => pets.list({ name }, { limit: 20, ...start }),
    })),
  ),
  ...[1, 2].map((categoryId) => ({
    title: `the inventory of category ${categoryId}`,
    // One walk per status.
    index: Array.from({ length: 3 }, () => "pets_by_category_and_status").join(),
    walks: 3,
    work: async () => readCategoryInventory(read, categoryId),
  })),
  ...["category", "category 1", "z"].flatMap((name) =>
    [{}, { after: categoryRows / 4, afterName: `${name} 1` }].map((start) => ({
      title: `categories by name ${name} ${JSON.stringify(start)}`,
      index: "categories_by_name",
      work: async () => categories.list({ name }, { limit: 20, ...start }),
    })),
  ),
  ...createLists("orders", orderCount, (filter: OrderFilter, page) => orderList.list(filter, page), [
    ["pkey", {}],
    ...(["placed", "completed", "cancelled"] as const).flatMap((status): [string, OrderFilter][] => [
      ["by_status", { status }],
      ["by_pet_and_status", { petId: 1, status }],
      ["by_pet_and_status", { petId: orderCount - 1, status }],
    ]),
    ["by_pet", { petId: 1 }],
    ["by_pet", { petId: orderCount - 1 }],
    ["by_status", { status: ["cancelled", "placed"] }],
    ["by_pet_and_status", { petId: 1, status: ["cancelled", "placed"] }],
  ]),
];

function createLists<Filter>(
  table: string,
  rows: number,
  list: (filter: Filter, page: PageRequest) => unknown,
  filters: readonly [index: string, filter: Filter, walks?: number][],
): Work[] {
  return filters.flatMap(([index, filter, walks = countWalks(filter as object)]) =>
    createPageRequests([undefined, rows / 3]).map((page) => ({
      title: `${table} ${JSON.stringify(filter)} ${JSON.stringify(page)}`,
      index: `${table}_${index}`,
      walks,
      work: async () => list(filter, page),
    })),
  );
}

function countWalks(filter: object): number {
  return Math.max(1, ...Object.values(filter).map((value) => (Array.isArray(value) ? value.length : 1)));
}

function createPageRequests(places: readonly (number | undefined)[]): PageRequest[] {
  return places.flatMap((after) => [false, true].map((isDescending) => ({ limit: 20, after, isDescending })));
}

const otherWork: readonly [title: string, work: () => Promise<unknown>, walks?: number][] = [
  ["an animal by its id", async () => pets.get(animalCount - 1)],
  ["an animal by its id and another filter", async () => pets.list({ id: 7, status: "sold" }, { limit: 20 })],
  [
    "animals by their ids",
    async () => pets.list({ id: [7, 8, 9], status: ["available", "pending"] }, { limit: 20 }),
    3,
  ],
  ["an order by its id", async () => orderList.get(orderCount - 1)],
  ["an update of an animal", () => write((one) => sharedWrites.pets.update(one, 1, { name: "Rex" }, undefined))],
  ["a deletion of an animal", () => write((one) => sharedWrites.pets.delete(one, 1, undefined))],
  ["a new order", () => write((one) => sharedWrites.orders.place(one, { petId: animalCount }, 1))],
  ["a closed order", () => write((one) => sharedWrites.orders.close(one, orderCount, "cancelled", 1, undefined))],
  ["a key by its hash", async () => keys.findByHash(new Uint8Array(16))],
  ["a page of keys", async () => keys.list({ limit: 20, after: 1_000 })],
  ["records of a key family with few records", async () => createRecordCounter(read).count(2, 0, 1_000)],
  ["the oldest record of a key family with few records", async () => createRecordCounter(read).findOldest(2, 0, 10)],
  ["the newest records", async () => createRecordCounter(read).count(undefined, 19_900, 1_000)],
  ["expired records", () => deleteExpiredRecords(recordedConnection, recordLifetimeMs + 5_000, 5_000, 1e12)],
  ["no expired records", () => deleteExpiredRecords(recordedConnection, 20_000, 20_000 - recordLifetimeMs, 1e12)],
];

function isTrivial(text: string): boolean {
  return text.startsWith("INSERT");
}

const statistics: readonly [title: string, forge: () => Promise<unknown>][] = [
  ["collected statistics", async () => {}],
  ["no statistics", () => clearStatistics(session, schema, tables)],
  ...Array.from({ length: 12 }, (_, seed): [string, () => Promise<unknown>] => [
    `forged statistics ${seed}`,
    () => forgeStatistics(session, schema, seed),
  ]),
];

/** Runs the check with generic and with custom plans, for each kind of statistics. */
async function withEachStatistics(kinds: typeof statistics, check: (title: string) => Promise<void>): Promise<void> {
  // PostgreSQL before version 18 has no functions that set statistics.
  for (const [title, forge] of version < 18 ? kinds.slice(0, 1) : kinds) {
    for (const mode of ["force_generic_plan", "force_custom_plan"]) {
      await session.unsafe("BEGIN");
      await forge();
      await session.unsafe(`SET LOCAL plan_cache_mode = ${mode}`);
      await check(`${title}, ${mode}`);
      await session.unsafe("ROLLBACK");
    }
  }
}

/** False for a known fault: before version 18, counting a status of a category goes on to the end of the category. */
function isUnexpected(fault: string): boolean {
  return version >= 18 || !/the inventory of category \d+: \d+ blocks/.test(fault);
}

type StatementNames = ReadonlyMap<string, string>;

async function prepare(statements: readonly Statement[]): Promise<StatementNames> {
  const names = new Map<string, string>();
  for (const { text } of statements) {
    if (names.has(text)) continue;
    names.set(text, `statement_${names.size}`);
    await session.unsafe(`PREPARE ${names.get(text)} AS ${text}`);
  }
  return names;
}

function renderCall(names: StatementNames, { text, parameters }: Statement): string {
  return `${names.get(text)}${parameters.length > 0 ? `(${parameters.map(toLiteral).join(", ")})` : ""}`;
}

const arrayTypes = { TEXT: "text[]", INT8: "bigint[]" } as const;

function toLiteral(parameter: Parameter): string {
  if (parameter === null) return "NULL";
  if (parameter instanceof Uint8Array) return `'\\x${Buffer.from(parameter).toString("hex")}'`;
  if (typeof parameter === "object")
    return `ARRAY[${parameter.values.map((value) => `'${value}'`).join(", ")}]::text[]::${arrayTypes[parameter.type]}`;
  return `'${String(parameter).replaceAll("'", "''")}'`;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly Alias?: string;
  readonly "Plan Rows": number;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

async function explain(names: StatementNames, statement: Statement): Promise<PlanNode> {
  const [row] = await session.unsafe<{ "QUERY PLAN": [{ Plan: PlanNode }] }[]>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT JSON) EXECUTE ${renderCall(names, statement)}`,
  );
  if (!row) throw new Error("There is no plan.");
  return row["QUERY PLAN"][0].Plan;
}

/** Returns the faults of a plan: scans, sorts, wrong indexes, and rows or blocks that are read in vain. */
function findFaults({ title, index, walks = 1 }: Statement, plan: PlanNode): string[] {
  const nodes = listNodes(plan);
  const scans = nodes.filter((node) => /Scan$/.test(node["Node Type"]));
  const faults: string[] = [];
  for (const node of nodes) {
    const isMerge = node["Node Type"] === "Sort" && walks > 1 && node["Actual Rows"] <= walks * 21;
    if (/^Seq Scan|Sort|Hash/.test(node["Node Type"]) && !isMerge) faults.push(`a ${node["Node Type"]}`);
    const removed = (node["Rows Removed by Filter"] ?? 0) * node["Actual Loops"];
    // A walk may go on into the rows of the next status, but not beyond its limit. A lookup by id may find a row with another status.
    if (removed > walks * (index ? maxPageSize + 1 : 1)) faults.push(`${removed} rows read in vain`);
  }
  const indexes = scans.flatMap((node) => node["Index Name"] ?? []);
  if (index && indexes.join() !== index) faults.push(`${indexes.join() || "nothing"} instead of ${index}`);
  const blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  if (index && blocks > walks * maxBlocks) faults.push(`${blocks} blocks`);
  return faults.length === 0 ? [] : [`${title}: ${faults.join(", ")}\n${describeNode(plan)}`];
}

const maxShownItems = 10;

/** Far more blocks than 21 rows and the path to the first row need, and far fewer than any index has. */
const maxBlocks = 80;

function listNodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function describeNode(node: PlanNode, depth = 1): string {
  const line = `${node["Node Type"]} ${node["Index Name"] ?? ""}, ${node["Plan Rows"]} expected, ${node["Actual Rows"]} found`;
  return [`${"  ".repeat(depth)}${line}`, ...(node.Plans ?? []).map((inner) => describeNode(inner, depth + 1))].join(
    "\n",
  );
}
