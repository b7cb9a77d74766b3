import { expect, test } from "bun:test";
import { ServiceError } from "../../src/domain/errors.ts";
import { ClaimRoom, usualClaimLimits } from "../../src/store/claim-room.ts";
import { openStore } from "../../src/store/open-store.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { performOnce } from "../../src/store/postgres/work.ts";
import { makeDatabase } from "../support/database.ts";

test("a transaction whose machine is gone gives its locks back soon after its deadline", async () => {
  await using database = await makeDatabase("postgres");
  if (database.address.kind !== "postgres") throw new Error("This needs PostgreSQL.");
  const connection = new Connection({ ...database.address, poolSize: 1, role: "primary", note: () => {} });
  const setting = "SELECT current_setting('idle_in_transaction_session_timeout') AS value";
  const [within] = await connection.transaction((query) => query(setting));
  expect(within).toEqual({ value: "8s" });
  // A pooler gives the session to others.
  const [after] = await connection.query(setting);
  expect(after).not.toEqual({ value: "8s" });
  await connection.close();
});

test("a write under a claim that refuses after it has changed something leaves nothing behind", async () => {
  await using database = await makeDatabase("postgres");
  if (database.address.kind !== "postgres") throw new Error("This needs PostgreSQL.");
  const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
  const connection = new Connection({ ...database.address, poolSize: 1, role: "primary", note: () => {} });
  const claim = { name: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2), line: 1, at: Date.now(), onReplay() {} };
  const perform = performOnce(connection, claim, new ClaimRoom(usualClaimLimits, 1));
  const refused = perform(async (query) => {
    await query("INSERT INTO store.categories (id, name) VALUES (1, 'Dogs')");
    throw new ServiceError("Conflict", "It was too late to refuse.");
  });
  await expect(refused).rejects.toThrow("Something went wrong in the service.");
  expect((await store.categories.list({}, { limit: 10 })).items).toEqual([]);
  await connection.close();
  await store.close();
});
