import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import { generateKey, hashKey } from "../../../src/domain/key-secret.ts";
import type { Table } from "../../../src/store/resource-table.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Row, tables } from "../../../src/store/tables.ts";
import type { Open } from "./under-test.ts";

export function describeTransfer(name: string, open: Open): void {
  const rex = { name: "Rex", status: "available" } as const;
  const key = { name: "till", scope: "write", createdAt: 1000, expiresAt: 5000 } as const;

  describe(`${name} can be copied`, () => {
    test("a copied store has all data, and assigns no id again", async () => {
      await using from = await open();
      await using to = await open();
      const secret = { hash: hashKey(generateKey()) };
      await fill(from.store);
      await from.store.keys.create(key, { hash: hashKey(generateKey()) });
      await from.store.keys.rotate(1, { at: 2000, retiresAt: 3000, keepLastAdmin: true }, secret);
      await from.store.transfer.reserveIds({ pets: 50, orders: 9, keys: 7, webhooks: 4, webhook_parked: 3 });
      // The store is copied twice, as after an interruption.
      for (let round = 0; round < 2; round++) {
        for (const table of tables) await to.store.transfer.write(table, await rowsOf(from.store, table));
        await to.store.transfer.reserveIds(await from.store.transfer.lastIds());
      }
      for (const table of tables) {
        const rows = await rowsOf(from.store, table);
        expect(rows.length).toBeGreaterThan(0);
        expect(await rowsOf(to.store, table)).toEqual(rows);
        expect(await to.store.transfer.count(table)).toBe(rows.length);
      }
      expect(await to.store.inventory()).toEqual({ available: 2, pending: 1, sold: 0 });
      expect(await to.store.keys.findByHash(secret.hash)).toEqual(await from.store.keys.findByHash(secret.hash));
      expect(await to.store.keys.findByHash(secret.hash)).toMatchObject({ id: 2, family: 1 });
      expect(await to.store.transfer.lastIds()).toEqual({
        pets: 50,
        orders: 9,
        keys: 7,
        webhooks: 4,
        webhook_parked: 3,
      });
      expect(await to.store.pets.create({ ...rex, categoryId: 1 })).toMatchObject({ id: 51 });
      expect(await to.store.orders.place({ petId: 51 }, 1)).toMatchObject({ id: 10 });
      expect(await to.store.keys.create(key, { hash: hashKey(generateKey()) })).toMatchObject({ id: 8 });
      const webhook = { url: "https://shop.example/", types: "", description: null, createdAt: 1000 };
      expect(await to.store.webhooks.create(webhook, { sealed: "" }, undefined)).toMatchObject({ id: 5 });
      expect(await to.store.webhooks.listParked(1)).toEqual(await from.store.webhooks.listParked(1));
      expect(await to.store.orders.close(1, "completed", 5)).toMatchObject({ petId: 1, status: "completed" });
    });
  });

  async function fill(store: Store): Promise<void> {
    for (const categoryId of [1, 9223372036854775807n, -9223372036854775808n]) {
      const record = {
        name: hash("sha256", String(categoryId), "buffer"),
        fingerprint: hash("sha256", "create", "buffer"),
        family: "environment" as const,
        at: 1000,
        onReplay() {},
      };
      await store.withIdempotency(record).pets.create({ ...rex, name: 'Odd {"name", \\ NULL} 🦜', categoryId });
      await store.categories.put({ id: categoryId, name: `Category ${categoryId}` }, undefined);
    }
    await store.orders.place({ petId: 1 }, 2000);
    const webhook = { url: "https://shop.example/", types: "", description: null, createdAt: 1000 };
    await store.webhooks.create(webhook, { sealed: "sealed" }, { position: 2, id: "evt_2" });
    const [leased] = await store.webhooks.acquireLeases("one", 1000, 2000, []);
    await store.webhooks.saveProgress(
      { id: 1, owner: "one", revision: leased?.revision ?? 0 },
      {
        parked: [{ position: 1, subject: "pets/1", attempts: 2, nextAt: 3000 }],
        unparked: [],
        deliveries: [],
        failingSince: 1500,
      },
    );
  }
}

async function rowsOf({ transfer }: Store, table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await transfer.read(table, rows.at(-1), 2);
    rows.push(...page.map((row) => row.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value))));
    if (page.length < 2) return rows;
  }
}
