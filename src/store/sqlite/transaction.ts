import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { maxClockSkewMs } from "../../base/clock.ts";
import type { Int64 } from "../../base/int64.ts";
import type { Change, IdentifiedChange } from "../../domain/event.ts";
import type { ResourceFields, ValuesOf } from "../../domain/fields.ts";
import type { Key } from "../../domain/key.ts";
import type { Delivery, NewDelivery, ParkedEvent } from "../../domain/webhook.ts";
import { type ColumnValues, type ResourceTable, toColumnValues } from "../resource-table.ts";
import { maxDeliveries, type Transaction } from "../shared-writes.ts";
import type { KeyUse } from "../store.ts";
import { deliveryTable, keyTable } from "../tables.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";

/** The writes on the only connection that writes. Locks are not needed, because the connection makes one write at a time. */
export class SqliteTransaction implements Transaction {
  log: Log = () => {};
  readonly #readers = new Map<string, PageReader<{ readonly id: Int64 }>>();
  readonly #statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>();

  constructor(readonly database: Database) {}

  find<Fields extends ResourceFields>(table: ResourceTable<Fields>, id: Int64): ValuesOf<Fields> | undefined {
    const reader = this.#readers.get(table.name) ?? new PageReader<{ readonly id: Int64 }>(this.database, table);
    this.#readers.set(table.name, reader);
    return reader.get(id) as ValuesOf<Fields> | undefined;
  }

  lock<Fields extends ResourceFields>(table: ResourceTable<Fields>, id: Int64): ValuesOf<Fields> | undefined {
    return this.find(table, id);
  }

  count(table: "keys" | "webhooks", limit: number): number {
    return this.all(`SELECT 1 FROM ${table} LIMIT ${limit}`).length;
  }

  insert<Fields extends ResourceFields>(
    table: ResourceTable<Fields>,
    item: ColumnValues,
    change?: Change,
  ): ValuesOf<Fields> {
    const { columns, values } = toColumnValues(table, item);
    const text = `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    const [row] = this.all<ValuesOf<Fields> & { readonly id: number }>(
      `${text} RETURNING ${table.selected}`,
      ...values,
    );
    if (!row) throw new Error(`An insert into ${table.name} returned no row.`);
    // Uses the id that the client has chosen, if any: it may exceed 2^53, and is then rounded in the row.
    if (change) this.log([{ ...change, id: (item["id"] as Int64 | undefined) ?? row.id }]);
    return row;
  }

  update(table: ResourceTable, id: Int64, row: ColumnValues, changes: readonly IdentifiedChange[], alsoSet = ""): void {
    const { id: _id, ...changed } = row;
    const { columns, values } = toColumnValues(table, changed);
    const assignments = columns.map((name) => `${name} = ?`);
    if (alsoSet) assignments.push(alsoSet);
    this.run(`UPDATE ${table.name} SET ${assignments.join(", ")} WHERE id = ?`, ...values, id);
    this.log(changes);
  }

  delete(table: string, value: Int64, changes: readonly IdentifiedChange[] = [], column = "id"): void {
    this.run(`DELETE FROM ${table} WHERE ${column} = ?`, value);
    this.log(changes);
  }

  findOpenOrderId({ id }: { readonly id: number }): number | undefined {
    const text = "SELECT id FROM orders INDEXED BY open_orders WHERE pet_id = ? AND status = 'placed'";
    return this.all<{ id: number }>(text, id)[0]?.id;
  }

  listAdminKeys(): readonly Key[] {
    return this.all<Key>(`SELECT ${keyTable.selected} FROM keys WHERE scope = 'admin'`);
  }

  recordKeyUses(uses: readonly KeyUse[]): void {
    for (const { id, at } of uses) {
      this.run(
        `UPDATE keys SET last_used_at = max(?2, created_at)
         WHERE id = ?1 AND coalesce(last_used_at NOT BETWEEN ?2 AND ?2 + ${maxClockSkewMs}, true)`,
        id,
        at,
      );
    }
  }

  eventIdAt(position: number): string | undefined {
    return this.all<{ id: string }>("SELECT id FROM events WHERE position = ?", position)[0]?.id;
  }

  scheduleRetry(webhook: number, event: ParkedEvent): void {
    this.park(webhook, event, "next_at = min(next_at, excluded.next_at)");
  }

  park(webhook: number, { position, subject, attempts, nextAt }: ParkedEvent, change: string): void {
    this.run(
      `INSERT INTO webhook_parked (webhook, position, subject, attempts, next_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (webhook, position) DO UPDATE SET ${change}`,
      webhook,
      position,
      subject,
      attempts,
      nextAt,
    );
  }

  addDelivery(webhook: number, delivery: NewDelivery): Delivery {
    const added = this.insert(deliveryTable, { webhook, ...delivery });
    this.run(
      `DELETE FROM webhook_deliveries WHERE webhook = ?1 AND id <= (
         SELECT id FROM webhook_deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${maxDeliveries}
       )`,
      webhook,
    );
    return added;
  }

  run(text: string, ...values: SQLQueryBindings[]): void {
    this.#prepare(text).run(...values);
  }

  all<Row>(text: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#prepare(text).all(...values) as Row[];
  }

  #prepare(text: string): Statement<unknown, SQLQueryBindings[]> {
    const statement = this.#statements.get(text) ?? this.database.prepare<unknown, SQLQueryBindings[]>(text);
    this.#statements.set(text, statement);
    return statement;
  }
}
