import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { PageRequest } from "../../src/domain/page.ts";
import { type Conditions, toOrderConditions, toPetConditions } from "../../src/store/filter.ts";
import { defaultIdempotencyLimits } from "../../src/store/idempotency-quota.ts";
import type { ResourceTable } from "../../src/store/resource-table.ts";
import { runStepsNow, type Steps, sharedWrites } from "../../src/store/shared-writes.ts";
import { listByName } from "../../src/store/sqlite/by-name.ts";
import { prepareIdempotency, prepareRecordWrites } from "../../src/store/sqlite/idempotency.ts";
import { PageReader } from "../../src/store/sqlite/pages.ts";
import { preparePetWrites } from "../../src/store/sqlite/pets.ts";
import { prepareReads } from "../../src/store/sqlite/reads.ts";
import { migrate } from "../../src/store/sqlite/schema/migrate.ts";
import { SqliteTransaction } from "../../src/store/sqlite/transaction.ts";
import { categoryTable, keyTable, orderTable, petTable } from "../../src/store/tables.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Statements are recorded while the store prepares them, and planned without statistics, with the statistics of ANALYZE, and with forged statistics.
const folder = temporaryFolder();
const path = join(folder.path, "animals.db");

using database = new Database(path, { create: true });
database.run("PRAGMA synchronous = OFF");
migrate(database);
fill(database);

afterAll(() => folder[Symbol.dispose]());

test("every list with any filter uses its index on every page, whatever the statistics", () => {
  const faults: string[] = [];
  withEachStatistics((title, explain) => {
    for (const { title: list, read, plan } of lists) {
      for (const text of recordTexts(read).filter((recorded) => recorded.includes("LIMIT"))) {
        const steps = explain(text);
        if (typeof plan === "string" ? shorten(steps) !== plan : !plan.test(shorten(steps)))
          faults.push(`${title}: ${list}: ${steps}`);
      }
    }
  });
  expect(faults.slice(0, maxShownItems)).toEqual([]);
});

test("all statements that are not lists use an index, whatever the statistics", () => {
  const faults: string[] = [];
  const texts = recordTexts(prepareOthers).filter((text) => !isAllowed(text));
  withEachStatistics((title, explain) => {
    for (const text of texts) {
      const steps = explain(text);
      if (/SCAN (pets|orders|categories|keys|claims|events)\b|TEMP B-TREE/.test(steps)) {
        faults.push(`${title}: ${text}: ${steps}`);
      }
      const index = expectedIndexes.find(([pattern]) => pattern.test(text))?.[1];
      if (index && !steps.includes(index)) faults.push(`${title}: ${text}: not ${index}: ${steps}`);
    }
  });
  for (const [pattern] of expectedIndexes) expect(texts.filter((text) => pattern.test(text))).not.toBeEmpty();
  expect(faults.slice(0, maxShownItems)).toEqual([]);
});

test("no statement is prepared again because of its limit", () => {
  const texts = [...lists.flatMap(({ read }) => recordTexts(read)), ...recordTexts(prepareOthers)];
  expect(texts.filter((text) => /(LIMIT|OFFSET) \?\d*(?![\d]| \+ 0)/.test(text))).toEqual([]);
});

function shorten(steps: string): string {
  return steps
    .replaceAll("USING COVERING INDEX", "USING INDEX")
    .replace(/; (LIST SUBQUERY \d+|SCAN json_each VIRTUAL TABLE INDEX 1:|CREATE BLOOM FILTER)/g, "");
}

/** Fills the tables. Nearly all rows are alike, except the newest ones. */
function fill(database: Database): void {
  const ids = "WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 5000)";
  database.run(`${ids} INSERT INTO pets (name, category_id, status)
    SELECT 'Animal ' || id, CASE WHEN id <= 4800 THEN 1 ELSE id % 50 END,
           CASE WHEN id <= 4000 THEN 'sold' WHEN id <= 4900 THEN 'pending' ELSE 'available' END FROM ids`);
  database.run(`${ids} INSERT INTO orders (pet_id, status, created_at, updated_at)
    SELECT CASE WHEN id <= 2500 THEN 1 ELSE id END,
           CASE WHEN id <= 4000 THEN 'completed' WHEN id <= 4900 THEN 'cancelled' ELSE 'placed' END, 1, 1 FROM ids`);
  database.run(`${ids} INSERT INTO claims (name, fingerprint, conclusion, created_at, line)
    SELECT CAST(id AS BLOB), x'00', 'x', id, CASE WHEN id <= 4950 THEN 1 ELSE 2 END FROM ids`);
  database.run(
    `${ids} INSERT INTO keys (name, scope, hash, created_at) SELECT 'Key', 'read', CAST(id AS BLOB), 1 FROM ids`,
  );
  database.run(`${ids} INSERT INTO categories (id, name) SELECT id, 'Category' FROM ids`);
  database.run(`${ids} INSERT INTO events (id, type, subject, at, body)
    SELECT id, CASE WHEN id <= 4950 THEN 'pet.created' ELSE 'order.placed' END, 'pets/' || (id % 9), id, '{}' FROM ids`);
}

interface List {
  readonly title: string;
  readonly plan: string | RegExp;
  read(database: Database): unknown;
}

const lists: readonly List[] = [
  ...createLists(petTable, toPetConditions, [
    [{}, ""],
    [{ id: 7 }, "id"],
    [{ id: 7, categoryId: 1, status: "sold" }, "id"],
    [{ status: "available" }, "by_status (status=?)"],
    [{ categoryId: 1 }, "by_category_and_status (category_id=? AND status=?)", 3],
    [{ categoryId: 1, status: "sold" }, "by_category_and_status (category_id=? AND status=?)"],
    [{ status: ["pending", "sold"] }, "by_status (status=?)", 2],
    [{ status: ["available", "pending", "sold"] }, "by_status (status=?)", 3],
    [
      { categoryId: 1, status: ["available", "pending", "sold"] },
      "by_category_and_status (category_id=? AND status=?)",
      3,
    ],
    [{ id: [7, 8] }, "id"],
    [{ id: [7, 8], categoryId: 1, status: ["pending", "sold"] }, "id"],
  ]),
  ...[undefined, { after: 2_000, afterName: "animal 2000" }].map((place) => ({
    title: `pets by name ${JSON.stringify(place)}`,
    plan: /^SEARCH pets USING INDEX pets_by_name \((<expr>=\? AND rowid>\?|<expr>>\? AND <expr><\?)\)$/,
    read: (database: Database) => listByName(new PageReader(database, petTable), "animal", { limit: 4_000, ...place }),
  })),
  ...createLists(orderTable, toOrderConditions, [
    [{}, ""],
    [{ status: "placed" }, "by_status (status=?)"],
    [{ petId: 1 }, "by_pet (pet_id=?)"],
    [{ petId: 1, status: "placed" }, "by_pet_and_status (pet_id=? AND status=?)"],
    [{ status: ["cancelled", "placed"] }, "by_status (status=?)", 2],
    [{ petId: 1, status: ["cancelled", "placed"] }, "by_pet_and_status (pet_id=? AND status=?)", 2],
  ]),
  ...createLists(categoryTable, () => [], [[{}, ""]]),
  ...[undefined, { after: 5, afterName: "category 5" }].map((place) => ({
    title: `categories by name ${JSON.stringify(place)}`,
    plan: /^SEARCH categories USING INDEX categories_by_name \((<expr>=\? AND rowid>\?|<expr>>\? AND <expr><\?)\)$/,
    read: (database: Database) =>
      listByName(new PageReader(database, categoryTable), "category", { limit: 20, ...place }),
  })),
  ...createLists(keyTable, () => [], [[{}, ""]]),
];

function createLists<Filter>(
  table: ResourceTable,
  conditionsOf: (filter: Filter) => Conditions,
  filters: readonly [filter: Filter, index: string, walks?: number][],
): List[] {
  return filters.flatMap(([filter, index, walks = 1]) =>
    createPageRequests([undefined, 2_000]).map((page) => ({
      title: `${table.name} ${JSON.stringify(filter)} ${JSON.stringify(page)}`,
      plan: expectedMerge(expectedPlan(table.name, index, page), walks),
      read: (database) => new PageReader(database, table).list(conditionsOf(filter), page),
    })),
  );
}

function createPageRequests(places: readonly (number | undefined)[]): PageRequest[] {
  return places.flatMap((after) => [false, true].map((isDescending) => ({ limit: 20, after, isDescending })));
}

function expectedMerge(walk: string, walks: number): string {
  if (walks <= 1) return walk;
  return `MERGE (UNION ALL); LEFT; ${expectedMerge(walk, walks - 1)}; RIGHT; ${walk}`;
}

function expectedPlan(table: string, index: string, { after, isDescending }: PageRequest): string {
  const hasAfter = after !== undefined;
  const comparison = isDescending ? "<?" : ">?";
  if (index === "id") return `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`;
  // Lists without a filter walk along the ids up to a limit.
  if (index === "")
    return hasAfter ? `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid${comparison})` : `SCAN ${table}`;
  return `SEARCH ${table} USING INDEX ${table}_${hasAfter ? index.replace(")", ` AND id${comparison})`) : index}`;
}

function prepareOthers(database: Database): void {
  preparePetWrites(database);
  runLazilyPreparedWrites(database);
  prepareReads(database);
  prepareIdempotency(database, defaultIdempotencyLimits);
  prepareRecordWrites(database);
}

/** Runs the writes whose statements are prepared on first use, and rolls them back. */
function runLazilyPreparedWrites(database: Database): void {
  const transaction = new SqliteTransaction(database);
  const { pets, orders, categories, keys } = sharedWrites;
  const created = { name: "Key", scope: "admin", createdAt: 1, expiresAt: null } as const;
  const createSecret = (text: string) => ({ hash: Buffer.from(text) });
  const write = (steps: Steps<unknown>) => runStepsNow(steps);
  database.run("BEGIN");
  write(pets.update(transaction, 1, { name: "Rex" }, undefined));
  write(pets.delete(transaction, 1, undefined));
  write(orders.close(transaction, 5_000, "cancelled", 1, undefined));
  write(orders.place(transaction, { petId: 5_000 }, 1));
  write(categories.put(transaction, { id: 1, name: "Dogs" }, undefined));
  write(categories.put(transaction, { id: 6_000, name: "Dogs" }, undefined));
  write(categories.delete(transaction, 1, undefined));
  write(keys.createFirst(transaction, created, createSecret("first")));
  const { id } = runStepsNow(keys.create(transaction, created, createSecret("second"), undefined));
  const rotation = { at: 2, retiresAt: 3, keepLastAdmin: true };
  write(keys.rotate(transaction, id, rotation, createSecret("third"), undefined));
  write(keys.revoke(transaction, id, 2, false, undefined));
  write(keys.recordUse(transaction, [{ id, at: 2 }]));
  database.run("ROLLBACK");
}

/** Expected indexes of statements for which SQLite could choose among several indexes. */
const expectedIndexes: readonly [pattern: RegExp, index: string][] = [
  [/^SELECT id FROM orders/, "INDEX open_orders (pet_id=?)"],
  [/FROM claims .*WHERE line = \?/, "INDEX claims_by_line (line=? AND created_at>?)"],
  [/FROM claims .*WHERE created_at > /, "INDEX claims_by_age (created_at>?)"],
  [/FROM claims .*WHERE created_at <= /, "INDEX claims_by_age (created_at<?)"],
  [/FROM events .*WHERE type = \? AND position > \? /, "INDEX events_by_type (type=? AND rowid>?)"],
  [/FROM events .*WHERE type = \? .* DESC/, "INDEX events_by_type (type=? AND rowid>? AND rowid<?)"],
  [/FROM events .*WHERE subject = \? AND position > \? /, "INDEX events_by_subject (subject=? AND rowid>?)"],
  [/FROM events .*WHERE subject = \? .* DESC/, "INDEX events_by_subject (subject=? AND rowid>? AND rowid<?)"],
];

/** True for statements that may scan the keys, because they read only one key or are rare. */
function isAllowed(text: string): boolean {
  return /FROM keys (LIMIT 1|WHERE scope = 'admin')$/.test(text);
}

function recordTexts(use: (database: Database) => unknown): string[] {
  const texts: string[] = [];
  using database = new (class extends Database {
    override prepare: Database["prepare"] = (sql: string, ...rest) => {
      texts.push(sql);
      return super.prepare(sql, ...rest);
    };
  })(path);
  use(database);
  return texts;
}

/** Explains statements on a new connection for each kind of statistics, because SQLite reads statistics only when it opens a file. */
function withEachStatistics(use: (title: string, explain: (text: string) => string) => void): void {
  for (const [title, pretend] of statistics) {
    {
      using database = new Database(path);
      database.run("PRAGMA synchronous = OFF");
      pretend(database);
    }
    using database = new Database(path);
    use(title, (text) => {
      // A statement that is not finalised would keep the connection from seeing later commits.
      using statement = database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`);
      return statement
        .all()
        .map(({ detail }) => detail)
        .join("; ");
    });
  }
}

const statistics: readonly [title: string, pretend: (database: Database) => void][] = [
  ["no statistics", (database) => database.run("DROP TABLE IF EXISTS sqlite_stat1")],
  ["collected statistics", (database) => database.run("ANALYZE")],
  ["all rows alike", (database) => forge(database, () => false)],
  ["all rows different", (database) => forge(database, () => true)],
  ...["status", "category", "name", "pet", "age", "line", "open_orders", "autoindex"].flatMap(
    (part): [string, (database: Database) => void][] => [
      [`only ${part} tells rows apart`, (database) => forge(database, (index) => index.includes(part))],
      [`only ${part} does not tell rows apart`, (database) => forge(database, (index) => !index.includes(part))],
    ],
  ),
];

/** Forges the statistics of each index: the number of rows, and of rows that agree in the first columns of the index. */
function forge(database: Database, tellsApart: (index: string) => boolean): void {
  database.run("ANALYZE");
  const rows = database.query<{ idx: string | null; stat: string }, []>("SELECT idx, stat FROM sqlite_stat1").all();
  const forged = database.query("UPDATE sqlite_stat1 SET stat = ?2 WHERE idx = ?1");
  for (const { idx, stat } of rows) {
    if (idx === null) continue;
    const [, ...columns] = stat.split(" ");
    const rowsPerValue = tellsApart(idx) ? "1" : "3000000";
    forged.run(idx, ["3000000", ...columns.map(() => rowsPerValue)].join(" "));
  }
}

const maxShownItems = 10;
