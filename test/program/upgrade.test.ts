import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { migrate } from "../../src/store/postgres/schema/migrate.ts";
import { type Migration, migrations } from "../../src/store/postgres/schema/migrations.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { newestVersion } from "../../src/store/sqlite/schema/migrate.ts";
import type { CheckedResponse, Client } from "../support/client.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { mainFile, projectFolder, RunningProgram, runProgram } from "../support/program.ts";
import { isSignedWith, Receiver } from "../support/receiver.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";
import { addWebhook } from "../support/webhooks.ts";

/** The program of the last release. Before the first release, the tests run this program against a later schema. */
const releasedMain = join(projectFolder, "released/program/main.js");
const main = existsSync(releasedMain) ? releasedMain : mainFile;

const laterMigration: Migration = {
  version: migrations.length + 1,
  name: "nicknames",
  oldestProgram: migrations.at(-1)?.oldestProgram ?? 0,
  steps: [
    { sql: "ALTER TABLE pets ADD COLUMN IF NOT EXISTS nickname text" },
    { index: "pets_by_nickname", on: "pets (nickname, id)" },
    {
      batches: `WITH batch AS (
          SELECT id FROM pets WHERE id > coalesce(nullif($1, '')::bigint, 0) ORDER BY id LIMIT 100
        ), filled AS (UPDATE pets SET nickname = name FROM batch WHERE pets.id = batch.id)
        SELECT id::text AS last FROM batch ORDER BY id DESC LIMIT 1`,
    },
  ],
};

async function migrateTo(migration: Migration, { address }: TestDatabase): Promise<void> {
  if (address.kind !== "postgres") throw new Error("These migrations are for PostgreSQL.");
  const connection = new Connection({ ...address, poolSize: 2, role: "primary", note: () => {} });
  await migrate(connection, address.schema, [...migrations, migration]);
  await connection.close();
}

async function exerciseStore(client: Client, isOver: () => boolean): Promise<{ failures: string[]; rounds: number }> {
  const failures: string[] = [];
  let rounds = 0;
  const expectStatus = (expected: number, { status, text, json }: CheckedResponse): number => {
    if (status !== expected) failures.push(`${status} ${text}`);
    return (json as { id?: number })?.id ?? 0;
  };
  for (; !isOver(); rounds++) {
    const petId = expectStatus(201, await client.call("/v1/pets", { body: { name: "Rex", categoryId: rounds } }));
    const order = expectStatus(201, await client.call("/v1/store/orders", { body: { petId } }));
    expectStatus(200, await client.call(`/v1/store/orders/${order}/complete`, { method: "POST" }));
    expectStatus(200, await client.call(`/v1/pets/${petId}`, { method: "PATCH", body: { name: "Max" } }));
    expectStatus(200, await client.call(`/v1/pets?categoryId=${rounds}`));
    if (rounds % 2 === 0) expectStatus(204, await client.call(`/v1/pets/${petId}`, { method: "DELETE" }));
    expectStatus(200, await client.call("/v1/store/inventory"));
  }
  return { failures, rounds };
}

test("programs of the last release keep serving while PostgreSQL is migrated to a later version, and can start afterwards", async () => {
  await using database = await makeDatabase("postgres");
  const start = () => RunningProgram.start(urlOf(database), { main, args: ["--log-level", "off"] });
  await using first = await start();
  await using second = await start();
  await database.fill(1000);
  let isOver = false;
  const uses = [first, second].map(({ client }) => exerciseStore(client, () => isOver));
  const sendReadAndWrite = async () => {
    const seen = await first.client.call("/v1/pets?limit=1&status=sold");
    expect(seen.status).toBe(200);
    await first.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  };
  await sendReadAndWrite();
  expect(await runProgram(["migrate", "--database", urlOf(database)])).toMatchObject({ exitCode: 0 });
  await migrateTo(laterMigration, database);
  await sendReadAndWrite();
  isOver = true;
  for (const { failures, rounds } of await Promise.all(uses)) {
    expect(failures).toEqual([]);
    expect(rounds).toBeGreaterThan(0);
  }
  expect(await second.signal("SIGTERM")).toBe(0);
  await using restarted = await start();
  let rounds = 0;
  expect(await exerciseStore(restarted.client, () => rounds++ === 3)).toEqual({ failures: [], rounds: 3 });
  expect(await runProgram(["migrate", "--database", urlOf(database)], { main })).toEqual({
    stdout: "The schema is newer than this program, but compatible with it.\n",
    stderr: "",
    exitCode: 0,
  });
});

test("programs of the last release report an incompatible schema on PostgreSQL with a one-line error", async () => {
  await using database = await makeDatabase("postgres");
  await runProgram(["migrate", "--database", urlOf(database)], { main });
  await migrateTo({ ...laterMigration, oldestProgram: laterMigration.version }, database);
  for (const command of [["serve", "--port", "0"], ["migrate"], ["migrate", "--dry-run"], ["keys", "list"]]) {
    const { stdout, stderr, exitCode } = await runProgram([...command, "--database", urlOf(database)], { main });
    expect([stdout, exitCode]).toEqual(["", 2]);
    expect(stderr).toMatch(
      // The pattern leaves out the wording that differs in the last release.
      /^animal-store: The database was written by a newer version of [^\n]*\. Use that version\.\n$/,
    );
  }
});

test.each<Engine>(["sqlite", "postgres"])(
  "a store of the last release on %s keeps its keys, stored outcomes and webhook secrets, and its animals can be found by name",
  async (engine) => {
    await using database = await makeDatabase(engine);
    await using receiver = await Receiver.start();
    const environment = { ANIMAL_STORE_WEBHOOK_KEY: "a passphrase for tests", WEBHOOK_ALLOW: "127.0.0.0/8" };
    const options = { environment, args: ["--log-level", "off"] };
    const request = { headers: { "Idempotency-Key": "once" }, body: { name: "till", scope: "write" } };

    await using old = await RunningProgram.start(urlOf(database), { ...options, main });
    const { secret } = await addWebhook(old.client, receiver.url, ["pet.created"]);
    const createResponse = await old.client.call("/v1/keys", request);
    const { id, key } = createResponse.json as CreatedKey;
    const lost = (await old.client.call("/v1/keys", { body: { name: "lost", scope: "write" } })).json as CreatedKey;
    expect((await old.client.call(`/v1/keys/${lost.id}/revoke`, { method: "POST" })).status).toBe(200);
    expect((await old.client.call("/v1/pets", { key, body: { name: "Rémy", categoryId: 1 } })).status).toBe(201);
    await receiver.untilReceived(1);
    expect(await old.signal("SIGTERM")).toBe(0);

    await using program = await RunningProgram.start(urlOf(database), options);
    const again = await program.client.call("/v1/keys", request);
    expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([createResponse.text, "true"]);
    expect((await program.client.call("/v1/pets", { key: lost.key })).status).toBe(401);
    // Compares no id: on PostgreSQL, a create may skip an id while other events are being logged.
    expect((await program.client.call("/v1/pets?name=rem", { key })).json).toMatchObject([{ name: "Rémy" }]);
    expect((await program.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
    await until(() => receiver.ids.length === 2);
    for (const received of receiver.received) expect(isSignedWith(secret, received)).toBe(true);
    expect((await program.client.call(`/v1/keys/${id}`)).json).toMatchObject({ name: "till", revokedAt: null });
  },
);

test.each<Engine>(["sqlite", "postgres"])(
  "after an upgrade, names that the last release has stored on %s are sorted and found by all characters and vowel signs",
  async (engine) => {
    await using database = await makeDatabase(engine);
    const args = ["--log-level", "off"];
    const longPrefix = "한".repeat(84);
    const animals = [`${longPrefix}다`, `${longPrefix}나`, `${longPrefix}가`, "Straße", "Émile", "कि", "का", "กี", "กู"];
    await using old = await RunningProgram.start(urlOf(database), { main, args });
    for (const name of animals) await old.client.call("/v1/pets", { body: { name, categoryId: 1 } });
    await old.client.call("/v1/categories/1", { method: "PUT", body: { name: "Füße" } });
    expect(await old.signal("SIGTERM")).toBe(0);
    await using program = await RunningProgram.start(urlOf(database), { args });
    const found: Readonly<Record<string, string[]>> = {
      [longPrefix]: [`${longPrefix}가`, `${longPrefix}나`, `${longPrefix}다`],
      strasse: ["Straße"],
      emi: ["Émile"],
      कि: ["कि"],
      กี: ["กี"],
    };
    for (const [name, expected] of Object.entries(found)) {
      expect(await findNames(program.client, "pets", name)).toEqual(expected);
    }
    expect(await findNames(program.client, "categories", "fuss")).toEqual(["Füße"]);
  },
);

test("when the last release and this program run together, each program finds names that the other has stored, at the latest after a cleanup", async () => {
  await using database = await makeDatabase("postgres");
  await using old = await RunningProgram.start(urlOf(database), { main, args: ["--log-level", "off"] });
  const store = await openStore(database.address, { poolSize: 2, onDeath: () => {} });
  const add = (name: string) => old.client.call("/v1/pets", { body: { name, categoryId: 1 } });
  const change = (id: number, body: object) => old.client.call(`/v1/pets/${id}`, { method: "PATCH", body });
  const find = async (name: string) => (await store.pets.list({ name }, { limit: 9 })).items.map((pet) => pet.name);
  try {
    const animals = ["Straße", "Größe", "Élan"];
    await store.pets.createAll(animals.map((name) => ({ name, categoryId: 1, status: "available" })));
    expect(await findNames(old.client, "pets", "el")).toEqual(["Élan"]);
    expect((await add("Spaß")).status).toBe(201);
    expect((await change(1, { status: "pending" })).status).toBe(200);
    expect((await change(2, { name: "Süße" })).status).toBe(200);
    expect((await change(3, { name: "Elán" })).status).toBe(200);
    expect((await old.client.call("/v1/categories/1", { method: "PUT", body: { name: "Füße" } })).status).toBe(201);
    expect([await find("spaß"), await find("ela")]).toEqual([[], ["Elán"]]);
    await store.deleteExpired(Date.now());
    const namesByFilter = { spas: ["Spaß"], strasse: ["Straße"], sus: ["Süße"], groß: [], ela: ["Elán"] };
    for (const [name, expected] of Object.entries(namesByFilter)) expect(await find(name)).toEqual(expected);
    const categories = await store.categories.list({ name: "fuss" }, { limit: 9 });
    expect(categories.items).toEqual([{ id: 1, name: "Füße" }]);
  } finally {
    await store.close();
  }
});

async function findNames(client: Client, list: "pets" | "categories", name: string): Promise<string[]> {
  const { json } = await client.call(`/v1/${list}?name=${encodeURIComponent(name)}`);
  return (json as { name: string }[]).map((item) => item.name);
}

interface CreatedKey {
  readonly id: number;
  readonly key: string;
}

test("a SQLite file of a newer program can be opened if the file is marked as compatible, but cannot be copied", async () => {
  using folder = temporaryFolder();
  const path = await makeSqliteStore(join(folder.path, "animals.db"), 3);
  const addNewerMigration = (oldestProgram: number) => {
    using database = new Database(path);
    database.run(
      "INSERT OR REPLACE INTO migrations (version, name, applied_at, oldest_program) VALUES (?, 'next', 0, ?)",
      [newestVersion + 1, oldestProgram],
    );
  };
  addNewerMigration(newestVersion);
  await using program = await RunningProgram.start(path);
  expect((await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
  expect(await program.signal("SIGTERM")).toBe(0);
  const copied = await runProgram(["copy", "--from", `sqlite:${path}`, "--to", `sqlite:${join(folder.path, "b.db")}`]);
  expect(copied).toEqual({
    stdout: "",
    stderr:
      "animal-store: The schema of the database at --from is newer than this program. Copy it with the newer version.\n",
    exitCode: 2,
  });
  addNewerMigration(newestVersion + 1);
  const refused = await runProgram(["keys", "list", "--database", `sqlite:${path}`]);
  expect(refused.stderr).toContain(
    `was written by a newer version of animal-store (its schema is ${newestVersion + 1} and needs a program for schema ${newestVersion + 1} or later; this one is for ${newestVersion}).`,
  );
});

test("scripts/keep-release.ts archives a release whose program starts", async () => {
  using folder = temporaryFolder();
  const buildResult = spawnSync(process.execPath, [join(projectFolder, "scripts/keep-release.ts"), folder.path]);
  expect([buildResult.status, String(buildResult.stderr)]).toEqual([0, ""]);
  expect(existsSync(join(folder.path, "openapi.json"))).toBe(true);
  const program = join(folder.path, "program/main.js");
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  const key = await runProgram(["keys", "create", "--name", "till", "--database", `sqlite:${path}`], { main: program });
  expect(key).toMatchObject({ exitCode: 0 });
});
