import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { hash } from "node:crypto";
import type { DatabaseAddress } from "../../src/base/database-address.ts";
import { checkStore, openStore } from "../../src/store/open-store.ts";
import { migrate } from "../../src/store/postgres/schema/migrate.ts";
import postgresOne from "../../src/store/postgres/schema/migrations/001-animals-and-keys.sql" with { type: "text" };
import postgresTwo from "../../src/store/postgres/schema/migrations/002-1-store-area.sql" with { type: "text" };
import { migrations } from "../../src/store/postgres/schema/migrations.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { applicationId } from "../../src/store/sqlite/schema/migrate.ts";
import sqliteOne from "../../src/store/sqlite/schema/migrations/001-animals-and-keys.sql" with { type: "text" };
import sqliteTwo from "../../src/store/sqlite/schema/migrations/002-store-area.sql" with { type: "text" };
import type { Store } from "../../src/store/store.ts";
import { recordTable, tables } from "../../src/store/tables.ts";
import { type Engine, makeDatabase, type TestDatabase } from "../support/database.ts";

async function open(address: DatabaseAddress): Promise<Store & AsyncDisposable> {
  const store = await openStore(address, { poolSize: 2, onDeath: () => {} });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

async function prepareVersionTwo(database: TestDatabase): Promise<void> {
  const { address } = database;
  if (address.kind === "sqlite") {
    using file = new Database(address.path);
    file.run(`PRAGMA application_id = ${applicationId}`);
    file.run(
      "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    );
    file.run("INSERT INTO migrations VALUES (1, 'one', 0), (2, 'two', 0)");
    file.run(sqliteOne);
    file.run(sqliteTwo);
  } else {
    await database.run(`CREATE SCHEMA ${address.schema}`);
    await database.run(
      "CREATE TABLE migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
    );
    await database.run("INSERT INTO migrations VALUES (1, 'animals and keys'), (2, 'two')");
    await database.run(postgresOne);
    await database.run(postgresTwo);
  }
}

test.each<Engine>(["sqlite", "postgres"])(
  "the migration of a store on %s without key families makes each key a family of its own, and keeps the idempotency records",
  async (engine) => {
    await using database = await makeDatabase(engine);
    await prepareVersionTwo(database);
    const bytes = (text: string) => `${engine === "sqlite" ? "X'" : "'\\x"}${hash("sha256", text)}'`;
    await database.run(`INSERT INTO keys (name, scope, hash, created_at, rotated_at)
      VALUES ('till', 'write', ${bytes("1")}, 1, 5), ('till', 'write', ${bytes("2")}, 5, NULL)`);
    const pet = '{"result":{"id":1,"name":"\\"sealed\\":","categoryId":9223372036854775807,"status":"sold"}}';
    const key =
      '{"result":{"id":2,"name":"till","scope":"write","createdAt":1000,"expiresAt":null,"sealed":"Zm9vYmFy"}}';
    await database.run(`INSERT INTO claims (name, fingerprint, conclusion, created_at)
      VALUES (${bytes("pet")}, ${bytes("create")}, '${pet}', 1000), (${bytes("key")}, ${bytes("create")}, '${key}', 1000)`);

    await using store = await open(database.address);
    const { items } = await store.keys.list({ limit: 10 });
    expect(items.map(({ id, family }) => [id, family])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const rotation = { at: 9000, retiresAt: 9000, keepLastAdmin: true };
    expect(await store.keys.rotate(2, rotation, { hash: hash("sha256", "3", "buffer") })).toMatchObject({
      family: 2,
    });

    let replayCount = 0;
    const again = store.withIdempotency({
      name: hash("sha256", "pet", "buffer"),
      fingerprint: hash("sha256", "create", "buffer"),
      family: 1,
      at: 2000,
      onReplay: () => replayCount++,
    });
    expect(await again.pets.create({ name: "x", categoryId: 1, status: "sold" })).toEqual({
      id: 1,
      name: '"sealed":',
      categoryId: 9223372036854775807n,
      status: "sold",
    });
    expect(replayCount).toBe(1);

    const rows = await store.transfer.read(recordTable, undefined, 10);
    const texts = rows.map(([, , outcome]) => String(outcome)).sort();
    expect(texts.map((text) => text.includes("Zm9vYmFy"))).toEqual([false, false]);
    expect(texts.some((text) => /"createdAt": ?1000/.test(text))).toBe(true);
  },
);

test.each<Engine>(["sqlite", "postgres"])(
  "after the migration of a store on %s without folded names, animals are found by names with any characters",
  async (engine) => {
    await using database = await makeDatabase(engine);
    await prepareVersionTwo(database);
    const names = Array.from({ length: 2_500 }, (_, index) => (index % 2 === 0 ? `Ärmel ${index}` : `Armel ${index}`));
    const rows = names.map((name) => `('${name}', 7, 'available')`);
    await database.run(`INSERT INTO pets (name, category_id, status) VALUES ${rows.join(", ")}`);
    await using store = await open(database.address);
    for (const name of ["Ärmel 24", "armel 24"]) {
      const { items } = await store.pets.list({ name }, { limit: 100 });
      expect(items.map((pet) => pet.name)).toEqual(
        [
          "Ärmel 24",
          ...Array.from({ length: 10 }, (_, digit) => names[240 + digit] ?? "").flatMap((found, digit) => [
            found,
            ...Array.from({ length: 10 }, (_, last) => names[2_400 + 10 * digit + last] ?? ""),
          ]),
        ].slice(0, 100),
      );
    }
  },
);

test("animals that an older program adds to PostgreSQL without a folded name are found soon after", async () => {
  await using database = await makeDatabase("postgres");
  await using store = await open(database.address);
  await database.run("INSERT INTO pets (name, category_id, status) VALUES ('Rémy', 7, 'available')");
  const find = async (name: string) => (await store.pets.list({ name }, { limit: 9 })).items.map(({ id }) => id);
  expect([await find("ré"), await find("re")]).toEqual([[], []]);
  await store.deleteExpired(Date.now());
  expect([await find("ré"), await find("re")]).toEqual([[1], [1]]);
});

test("an animal that an older program renames is found only by its new name", async () => {
  await using database = await makeDatabase("postgres");
  await using store = await open(database.address);
  await store.pets.create({ name: "Élan", categoryId: 7, status: "available" });
  const listFoundNames = async () => {
    const names = ["elan", "rex", "barbel"];
    const pages = await Promise.all(names.map((name) => store.pets.list({ name }, { limit: 9 })));
    return names.filter((_, index) => pages[index]?.items.length === 1);
  };
  await store.pets.update(1, { name: "Elán" }, undefined);
  expect(await listFoundNames()).toEqual(["elan"]);
  await database.run("UPDATE pets SET name = 'Rex', category_id = 7, status = 'available' WHERE id = 1");
  expect(await listFoundNames()).toEqual(["rex"]);
  await store.pets.update(1, { name: "Élan" }, undefined);
  await database.run("UPDATE pets SET name = 'Bärbel', category_id = 7, status = 'available' WHERE id = 1");
  expect(await listFoundNames()).toEqual([]);
  await store.deleteExpired(Date.now());
  expect(await listFoundNames()).toEqual(["barbel"]);
});

test("categories that an older program adds or renames without a folded name are found soon after", async () => {
  await using database = await makeDatabase("postgres");
  await using store = await open(database.address);
  const find = async (name: string) =>
    (await store.categories.list({ name }, { limit: 9 })).items.map(({ id }) => Number(id));
  await database.run("INSERT INTO categories (id, name) VALUES (-7, 'Élans')");
  await store.deleteExpired(Date.now());
  expect(await find("elans")).toEqual([-7]);
  await database.run(
    "INSERT INTO categories (id, name) VALUES (-7, 'Bären') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
  );
  expect(await find("elans")).toEqual([]);
  await store.deleteExpired(Date.now());
  expect(await find("baren")).toEqual([-7]);
});

test.each<Engine>(["sqlite", "postgres"])(
  "after the migration of a store on %s without an event log, check reports that the store is older than its log",
  async (engine) => {
    await using database = await makeDatabase(engine);
    await prepareVersionTwo(database);
    await database.run("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'available')");
    const store = await open(database.address);
    expect(await store.events.ends()).toBeUndefined();
    expect(await store.events.read({}, 0, 10)).toEqual({ events: [], end: undefined });
    expect(await store.events.idAt(0)).toBeUndefined();
    await store.deleteExpired(Date.now() + 1e12);
    await store.pets.update(1, { name: "Max" }, undefined);
    await store.close();
    const findings = await checkStore(database.address, { shouldReplay: true });
    expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    expect(findings.flatMap(({ skipped }) => skipped ?? [])).toEqual(
      Array.from({ length: 2 }, () => "The store is older than its log, so only resources with events were compared."),
    );
  },
);

test("an event log on PostgreSQL with one event per row can still be read and appended to", async () => {
  await using database = await makeDatabase("postgres");
  const { address } = database;
  if (address.kind !== "postgres") throw new Error("This is about PostgreSQL.");
  const connection = new Connection({ ...address, poolSize: 2, role: "primary", note: () => {} });
  await migrate(
    connection,
    address.schema,
    migrations.filter(({ version }) => version < 9),
  );
  await connection.close();
  const body = (id: number) =>
    `{"id":"evt_${id}","type":"pet.created","subject":"pets/${id}","data":{"id":${id},"name":"Rex","categoryId":7,"status":"available"},"previous":null}`;
  for (const id of [1, 2, 3]) {
    await database.run("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'available')");
    await database.run(`INSERT INTO events (position, id, type, subject, at, body)
      VALUES (${id}, 'evt_${id}', 'pet.created', 'pets/${id}', 1000, '${body(id)}')`);
  }
  const store = await open(address);
  const rex = { name: "Rex", categoryId: 7, status: "available" } as const;
  await Promise.all(Array.from({ length: 20 }, () => store.pets.create(rex)));
  await store.transfer.count(tables.find(({ name }) => name === "events") as never);
  const { events } = await store.events.read({}, 0, 100);
  expect(events.slice(0, 3)).toEqual(
    [1, 2, 3].map((id) => ({
      position: id,
      id: `evt_${id}`,
      type: "pet.created",
      subject: `pets/${id}`,
      body: body(id),
    })),
  );
  expect(events.map(({ subject }) => subject)).toEqual(Array.from({ length: 23 }, (_, index) => `pets/${index + 1}`));
  await store.close();
  const findings = await checkStore(address, { shouldReplay: true });
  expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([]);
});
