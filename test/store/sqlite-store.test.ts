import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { connectWriter } from "../../src/store/sqlite/connection/connect.ts";
import { createFile } from "../../src/store/sqlite/file/database-files.ts";
import { checkSqlite } from "../../src/store/sqlite/schema/check.ts";
import { inspectSqlite } from "../../src/store/sqlite/schema/inspect.ts";
import { newestVersion } from "../../src/store/sqlite/schema/migrate.ts";
import { openSqliteStore, planSqliteMigration } from "../../src/store/sqlite/sqlite-store.ts";
import { type Store, StoreOpenError } from "../../src/store/store.ts";
import { fillDatabase } from "../support/animals.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { describeStore } from "./store-contract.ts";

const rex = { name: "Rex", categoryId: 7, status: "available" } as const;

async function open(path: string): Promise<Store & AsyncDisposable> {
  const store = await openSqliteStore(path, {
    onDeath(reason) {
      throw new Error(`The writer died: ${reason}`);
    },
  });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

const it = testWith(() => {
  const folder = temporaryFolder();
  return { folder, path: join(folder.path, "animals.db"), [Symbol.dispose]: folder[Symbol.dispose] };
});

describeStore("sqlite");

it("a SQLite file is created with its folders, and is a single file after closing", async ({ folder }) => {
  const path = join(folder.path, "a/b/animals.db");
  await (await open(path)).close();
  expect(existsSync(path)).toBe(true);
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(readFileSync(path).toString("latin1", 68, 72)).toBe("pets");
});

it("an empty file becomes a new store", async ({ path }) => {
  writeFileSync(path, "");
  await using store = await open(path);
  expect(await store.pets.create(rex)).toMatchObject({ id: 1 });
});

it("a start creates a store again if a kill has interrupted its creation", async ({ path }) => {
  await (await open(path)).close();
  // A kill just before the end of the first commit leaves all pages, and a journal that undoes them.
  const journal = Buffer.alloc(512);
  journal.write("d9d505f920a163d7", "hex");
  journal.writeUInt32BE(512, 20);
  journal.writeUInt32BE(4096, 24);
  writeFileSync(`${path}-journal`, journal);
  truncateSync(path, 8192);
  await using store = await open(path);
  expect(await store.pets.create(rex)).toMatchObject({ id: 1 });
  expect(existsSync(`${path}-journal`)).toBe(false);
});

it("a SQLite file keeps its content across restarts, and never reuses an id", async ({ path }) => {
  await useAndClose(await open(path), async ({ pets }) => {
    await pets.create(rex);
    await pets.create(rex);
  });
  using database = new Database(path);
  database.run("DELETE FROM pets WHERE id = 2");
  await useAndClose(await open(path), async ({ pets }) => {
    expect(await pets.get(1)).toEqual({ id: 1, ...rex });
    expect(await pets.create(rex)).toMatchObject({ id: 3 });
  });
});

it("a SQLite file is written with a WAL and full synchronization", async ({ path }) => {
  await using _store = await open(path);
  using writer = connectWriter(path);
  expect(writer.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(writer.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
});

it("a store that has used its last id refuses new animals, and can still be read", async ({ path }) => {
  await using store = await open(path);
  await store.pets.create(rex);
  using database = new Database(path);
  database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pets'", [Number.MAX_SAFE_INTEGER - 1]);
  expect(await store.pets.create(rex)).toMatchObject({ id: Number.MAX_SAFE_INTEGER });
  const failure = await store.pets.create(rex).catch((error) => error);
  expect(failure).toMatchObject({ code: "InsufficientStorage" });
  expect(await store.pets.get(Number.MAX_SAFE_INTEGER)).toMatchObject(rex);
});

it("a store with few ids left assigns them to the first of many concurrent creations", async ({ path }) => {
  await using store = await open(path);
  await store.pets.create(rex);
  using database = new Database(path);
  database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pets'", [Number.MAX_SAFE_INTEGER - 5]);
  const names = Array.from({ length: 12 }, (_, index) => `Animal ${index}`);
  const outcomes = await Promise.allSettled(names.map((name) => store.pets.create({ ...rex, name })));
  const added = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(added.map(({ id, name }) => [Number.MAX_SAFE_INTEGER - Number(id), name])).toEqual(
    names.slice(0, 5).map((name, index) => [4 - index, name]),
  );
  expect(outcomes.slice(5).map((outcome) => outcome.status === "rejected" && outcome.reason.code)).toEqual(
    Array.from({ length: 7 }, () => "InsufficientStorage"),
  );
  for (const pet of added) expect(await store.pets.get(pet.id)).toEqual(pet);
});

it("concurrent writes keep their order", async ({ path }) => {
  await using store = await open(path);
  const before = await store.pets.create(rex);
  const writes = Array.from({ length: 300 }, (_, index) =>
    index % 7 === 3
      ? store.pets.update(before.id, { name: `Rex ${index}` }, undefined)
      : store.pets.create({ ...rex, name: `Animal ${index}` }),
  );
  const pets = await Promise.all(writes);
  const added = pets.filter((_, index) => index % 7 !== 3);
  expect(added.map(({ id }) => id)).toEqual(added.map((_, index) => Number(before.id) + 1 + index));
  for (const pet of added) expect(await store.pets.get(pet.id)).toEqual(pet);
  expect((await store.pets.get(before.id))?.name).toBe("Rex 297");
});

const readModes = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
const privateModes = { "animals.db": "600", "animals.db-shm": "600", "animals.db-wal": "600" };

function withMask(mask: number): Disposable {
  const before = process.umask(mask);
  return { [Symbol.dispose]: () => process.umask(before) };
}

test.each([
  ["000", 0],
  ["022", 0o022],
  ["077", 0o077],
])("with the umask %s, only the owner can use a new store and its folders", async (_name, mask) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a/b/animals.db");
  mkdirSync(join(folder.path, "a"), { mode: 0o755 });
  using _ = withMask(mask);
  await using store = await open(path);
  await store.pets.create(rex);
  expect(readModes(join(folder.path, "a"))).toEqual({ b: "700" });
  expect(readModes(join(folder.path, "a/b"))).toEqual(privateModes);
});

it("with the umask 777, only the owner can use an empty file that becomes a store", async (at) => {
  const { folder, path } = at;
  using _ = withMask(0o777);
  await using store = await open(path);
  await store.pets.create(rex);
  expect(readModes(folder.path)).toEqual(privateModes);
});

it("a start removes the rights of other users to a store's files", async ({ folder, path }) => {
  await using _other = await open(path);
  for (const name of Object.keys(privateModes)) chmodSync(join(folder.path, name), 0o666);
  await using store = await open(path);
  expect(readModes(folder.path)).toEqual(privateModes);
  await store.pets.create(rex);
  expect(readModes(folder.path)).toEqual(privateModes);
});

it("only the owner can use the journal of a store during its creation", async ({ folder, path }) => {
  using _ = withMask(0);
  createFile(path);
  using database = new Database(path);
  database.run("PRAGMA cache_size = 1");
  database.run("CREATE TABLE t (a)");
  database.run("BEGIN");
  database.run("INSERT INTO t VALUES (zeroblob(100000))");
  expect(readModes(folder.path)).toEqual({ "animals.db": "600", "animals.db-journal": "600" });
});

const refuse = async (path: string, message: RegExp) => {
  const before = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
  const error = await open(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreOpenError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain("\n");
  if (before) expect(readFileSync(path).equals(before)).toBe(true);
};

test.each<[file: string, message: RegExp, prepare: (path: string) => void | Promise<void>]>([
  ["a text", /is not an animal-store database/, (path) => writeFileSync(path, "Today I bought a dog.\n".repeat(100))],
  ["a short text", /is not an animal-store database/, (path) => writeFileSync(path, "x")],
  [
    "the database of another application",
    /is a SQLite database, but not one of animal-store/,
    (path) => run(path, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)"),
  ],
  [
    "the database of a newer program",
    /was written by a newer version of animal-store/,
    async (path) => {
      await (await open(path)).close();
      run(path, `INSERT INTO migrations (version, name, applied_at) VALUES (${newestVersion + 1}, 'newer', 0)`);
    },
  ],
  [
    "a truncated database",
    /is damaged \(it is shorter/,
    async (path) => {
      await (await open(path)).close();
      fillDatabase(path, 2000);
      truncateSync(path, 40_000);
    },
  ],
  ...[4096, 20_000, 60_000].map((offset): [string, RegExp, (path: string) => Promise<void>] => [
    `a database with wrong bytes at byte ${offset}`,
    /is damaged/,
    async (path) => {
      await (await open(path)).close();
      fillDatabase(path, 2000);
      writeFileSync(path, readFileSync(path).fill("damage! ", offset, offset + 5000));
    },
  ]),
  ["a folder", /is not a file/, (path) => mkdirSync(path)],
])("opening %s fails with a one-line error, and changes nothing", async (_, message, prepare) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await prepare(path);
  await refuse(path, message);
});

test.each([
  ["a table", "DROP TABLE claims", "no such table: claims", "table claims"],
  [
    "a table that a view has replaced",
    "ALTER TABLE claims RENAME TO c; CREATE VIEW claims AS SELECT * FROM c",
    "cannot modify claims because it is a view",
    "table claims",
  ],
  ["a column", "ALTER TABLE keys DROP COLUMN line", "no such column: line", "column keys.line"],
])("serve, doctor, migrate --dry-run and check report a store that lacks %s", async (_, statement, reason, part) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await (await open(path)).close();
  run(path, statement);
  const advice = "Restore a backup with animal-store restore FILE --replace.";
  await expect(open(path)).rejects.toEqual(new StoreOpenError(`${path} is incomplete (${reason}). ${advice}`));
  const error = new StoreOpenError(`${path} is incomplete (missing: ${part}). ${advice}`);
  expect(() => inspectSqlite(path)).toThrow(error);
  expect(() => planSqliteMigration(path)).toThrow(error);
  const [, schema] = await checkSqlite(path, { shouldReplay: false });
  expect(schema?.problem).toMatch(new RegExp(`^Missing: ${part}[.;].*Restore a backup\\.$`));
});

test.each(["DELETE FROM migrations", "DROP TABLE migrations"])("opening a store after %s fails", async (statement) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await (await open(path)).close();
  run(path, statement);
  await refuse(path, /is incomplete \(it does not say what its version is\)/);
  await expect(checkSqlite(path, { shouldReplay: false })).rejects.toThrow("is incomplete");
});

it("opening a path below a file fails with a one-line error", async ({ folder }) => {
  writeFileSync(join(folder.path, "file"), "");
  await refuse(join(folder.path, "file/animals.db"), /is not a folder\. Choose another place\.$/);
});

test("opening a path where no file can be created fails with a one-line error", async () => {
  const folder = process.platform === "darwin" ? "/System" : "/proc";
  await refuse(join(folder, "animals.db"), /cannot be opened for writing/);
});

it("opening a file that another program has locked fails with a one-line error", async ({ path }) => {
  writeFileSync(path, "");
  using database = new Database(path);
  database.run("BEGIN EXCLUSIVE");
  await refuse(path, /is locked by another program/);
});

function run(path: string, statement: string): void {
  using database = new Database(path);
  database.run(statement);
}

async function useAndClose(store: Store & AsyncDisposable, use: (store: Store) => Promise<void>): Promise<void> {
  await use(store);
  await store.close();
}
