import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { TestDatabase } from "./database.ts";
import { until } from "./wait.ts";

/** Makes changes that together log every type of event. */
export async function logEveryEventType({ address }: TestDatabase): Promise<void> {
  const store = await openStore(address, { poolSize: 1, onDeath: () => {} });
  const rex = { name: "Rex", categoryId: 9223372036854775807n, status: "available" } as const;
  for (let round = 0; round < 4; round++) await store.pets.create(rex);
  await store.pets.update(1, { name: "Rexy" }, undefined);
  await store.pets.delete(2, undefined);
  await store.orders.place({ petId: 3 }, 1_000);
  await store.orders.close(1, "completed", 2_000);
  await store.orders.place({ petId: 4 }, 3_000);
  for (const name of ["Dogs", "Cats"]) await store.categories.put({ id: 7, name }, undefined);
  await store.categories.put({ id: 8, name: "Birds" }, undefined);
  await store.categories.delete(8, undefined);
  await store.categories.put({ id: 8, name: "Birds" }, undefined);
  const secret = () => ({ hash: crypto.getRandomValues(new Uint8Array(32)) });
  await store.keys.create({ name: "till", scope: "admin", createdAt: 1_000, expiresAt: null }, secret());
  await store.keys.rotate(1, { at: 2_000, retiresAt: 2_000, keepLastAdmin: false }, secret());
  await store.keys.revoke(2, 3_000, false);
  await store.keys.recordUse([{ id: 2, at: 2_500 }]);
  // PostgreSQL logs animals that are created together as one row, unless another event is logged at the same time.
  await until(async () => {
    await store.pets.createAll([rex, { ...rex, name: "Zoë" }, rex]);
    return address.kind === "sqlite" || (await hasEventBatch(address));
  });
  await store.close();
}

async function hasEventBatch(address: PostgresAddress): Promise<boolean> {
  await using sql = new SQL({ url: address.urls[0] ?? "", max: 1 });
  return (await sql.unsafe(`SELECT 1 FROM "${address.schema}".events WHERE size > 1 LIMIT 1`)).length > 0;
}

/** Waits until the events of all writes are in the event log. */
export async function untilLogged({ transfer }: Store): Promise<void> {
  await transfer.count({ name: "events", title: "", columns: [], identity: [], assignsIds: false });
}

/** Marks the event log as younger than its store. */
export async function markEventLogAsYounger(database: TestDatabase): Promise<void> {
  const [size, one] = database.address.kind === "postgres" ? [", size", ", 1"] : ["", ""];
  await database.run(
    `INSERT INTO events (position, id, type, subject, at, body${size}) VALUES (0, '', '', '', 0, ''${one})`,
  );
}
