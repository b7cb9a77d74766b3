import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import type { LoggedEvent } from "../../src/domain/event.ts";
import { openExistingStore, openStore } from "../../src/store/open-store.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { logEveryEventType, markEventLogAsYounger } from "../support/history.ts";
import { runProgram } from "../support/program.ts";

const engines: Engine[] = ["sqlite", "postgres"];

describe.each(engines)("the event log on %s", (engine) => {
  test("the event log records key changes from the command line, with the operator as their actor", async () => {
    await using database = await makeDatabase(engine);
    await (await openStore(database.address, { poolSize: 1, onDeath: () => {} })).close();
    for (const command of ["create --name till --scope admin", "rotate 1 --overlap 0", "revoke 2"]) {
      const { exitCode } = await runProgram(["keys", ...command.split(" "), "--database", urlOf(database)]);
      expect(exitCode).toBe(0);
    }
    const events = (await readEvents(database)).map(({ type, subject, body }) => {
      const { actor, request } = JSON.parse(body);
      return [type, subject, actor, request];
    });
    const operator = { id: null, name: "operator" };
    expect(events).toEqual([
      ["key.created", "keys/1", operator, null],
      ["key.rotated", "keys/1", operator, null],
      ["key.created", "keys/2", operator, null],
      ["key.revoked", "keys/2", operator, null],
    ]);
    await requireConsistent(database);
  });
});

describe.each(engines.flatMap((from) => engines.map((to) => [from, to] as const)))(
  "a copy from %s to %s",
  (from, to) => {
    test("a copy contains the unchanged event log, and later events continue the event log", async () => {
      await using source = await makeDatabase(from);
      await using target = await makeDatabase(to);
      await logEveryEventType(source);
      const events = await readEvents(source);
      const { stderr, exitCode } = await runProgram(["copy", "--from", urlOf(source), "--to", urlOf(target)]);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(await readEvents(target)).toEqual(events);
      expect(await readEvents(source)).toEqual(events);
      await requireConsistent(target);
      const store = await openExistingStore(target.address, { poolSize: 1, onDeath: () => {} });
      await store.pets.update(1, { name: "After the copy" }, undefined);
      await store.close();
      expect((await readEvents(target)).slice(events.length)).toMatchObject([
        { position: events.length + 1, type: "pet.updated", subject: "pets/1" },
      ]);
      await requireConsistent(target);
    });

    test("if a store is older than its event log, a copy of the store is also marked as older", async () => {
      await using source = await makeDatabase(from);
      await using target = await makeDatabase(to);
      await logEveryEventType(source);
      await source.run("DELETE FROM events");
      await markEventLogAsYounger(source);
      const { exitCode } = await runProgram(["copy", "--from", urlOf(source), "--to", urlOf(target)]);
      expect(exitCode).toBe(0);
      const store = await openExistingStore(target.address, { poolSize: 1, onDeath: () => {} });
      expect(await store.events.ends()).toBeUndefined();
      await store.pets.update(1, { name: "After the copy" }, undefined);
      await store.close();
      expect((await readEvents(target)).map(({ position }) => position)).toEqual([1]);
      const { stdout } = await runProgram(["check", "--replay", "--database", urlOf(target)]);
      expect(stdout).toContain("skipped  every resource in the store has an event: The store is older than its log,");
      expect(stdout).not.toContain("WRONG");
    });
  },
);

test("a restored backup has the same event log", async () => {
  await using database = await makeDatabase("sqlite");
  await logEveryEventType(database);
  const events = await readEvents(database);
  const path = urlOf(database).replace("sqlite:", "");
  expect((await runProgram(["backup", `${path}.backup`, "--database", urlOf(database)])).exitCode).toBe(0);
  rmSync(path);
  expect((await runProgram(["restore", `${path}.backup`, "--database", urlOf(database)])).exitCode).toBe(0);
  expect(await readEvents(database)).toEqual(events);
  await requireConsistent(database);
});

async function readEvents({ address }: TestDatabase): Promise<LoggedEvent[]> {
  const store = await openExistingStore(address, { poolSize: 1, onDeath: () => {} });
  await store.transfer.count({ name: "events", title: "", columns: [], identity: [], assignsIds: false });
  const { events } = await store.events.read({}, 0, 1_000);
  await store.close();
  return [...events];
}

async function requireConsistent(database: TestDatabase): Promise<void> {
  const { stdout, exitCode } = await runProgram(["check", "--replay", "--database", urlOf(database)]);
  expect(stdout).not.toMatch(/^(WRONG|skipped)/m);
  expect(exitCode).toBe(0);
}
