import { maxClockSkewMs } from "../../base/clock.ts";
import {
  type Change,
  fillEventTemplate,
  type IdentifiedChange,
  newEventId,
  type Origin,
  toEventTemplate,
} from "../../domain/event.ts";
import { type ColumnValues, type ResourceTable, toColumnValues } from "../resource-table.ts";
import type { Transaction } from "../shared-writes.ts";
import { keyTable } from "../tables.ts";
import { idAt } from "./events/events.ts";
import { getRowDecoder, type Row, readOne } from "./pages.ts";
import { type Parameter, type Query, toColumns, toParameter } from "./query.ts";
import { foldingOf } from "./schema/fold-names.ts";
import { addDeliveries, park, retrySooner } from "./webhooks/webhook-rows.ts";

/** Each statement inserts its own events into the inbox, which saves a round trip per write. */
export function transactionFor(query: Query, origin: Origin): Transaction {
  const { schema } = query;
  return {
    find: (table, id) => readOne(query, table, id),

    async lock(table, id) {
      if (table.name === "keys") await query(lockKeys(schema));
      else if (table.name === "categories") await query(lockCategory(schema), [String(id)]);
      else return await readOne(query, table, id, "lock");
      return await readOne(query, table, id);
    },

    async count(table, limit) {
      await query((table === "keys" ? lockKeys : lockNewWebhooks)(schema));
      return (await query(`SELECT 1 FROM ${schema}.${table} LIMIT ${limit}`)).length;
    },

    async insert(table, item, change) {
      const { columns, values } = toColumnsWithFolding(table, item);
      const names = columns.map(([name]) => name);
      const insertStatement = `INSERT INTO ${schema}.${table.name} (${names.join(", ")})
       VALUES (${columns.map(([, value]) => value).join(", ")}) RETURNING ${table.selected}`;
      const insert = change
        ? insertLogged(query, origin, insertStatement, values, change)
        : query<Row>(insertStatement, values);
      const [row] = await insert;
      if (!row) throw new Error(`An insert into ${table.name} returned no row.`);
      return getRowDecoder(table)(row);
    },

    async update(table, id, item, changes, alsoSet = "") {
      const { id: _id, ...changed } = item;
      const { columns, values } = toColumnsWithFolding(table, changed);
      const assignments = columns.map(([name, value]) => `${name} = ${value}`);
      if (alsoSet) assignments.push(alsoSet);
      const text = `UPDATE ${schema}.${table.name} SET ${assignments.join(", ")} WHERE id = $${values.length + 1}`;
      await runLogged(query, origin, text, [...values, String(id)], changes);
    },

    delete: (table, value, changes = [], column = "id") =>
      runLogged(query, origin, `DELETE FROM ${schema}.${table} WHERE ${column} = $1`, [String(value)], changes),

    async findOpenOrderId({ id }) {
      const text = `SELECT id::float8 AS id FROM ${schema}.orders WHERE pet_id = $1 AND status = 'placed'`;
      const [order] = await query<{ id: number }>(text, [id]);
      return order?.id;
    },

    async listAdminKeys() {
      const text = `SELECT ${keyTable.selected} FROM ${schema}.keys WHERE scope = 'admin'`;
      return (await query<Row>(text)).map(getRowDecoder(keyTable));
    },

    async recordKeyUses(uses) {
      const rows = uses.map(({ id, at }) => [id, at]);
      await query(
        `UPDATE ${schema}.keys SET last_used_at = greatest(used.at, created_at)
         FROM (
           SELECT keys.id, used.at FROM ${schema}.keys JOIN unnest($1::bigint[], $2::bigint[]) AS used (id, at) USING (id)
           ORDER BY id FOR UPDATE OF keys
         ) AS used
         WHERE keys.id = used.id AND coalesce(last_used_at NOT BETWEEN used.at AND used.at + ${maxClockSkewMs}, true)`,
        toColumns(["INT8", "INT8"], rows),
      );
    },

    eventIdAt: (position) => idAt(query, position),

    scheduleRetry: (webhook, event) => park(query, [{ webhook, ...event }], retrySooner),

    async addDelivery(webhook, delivery) {
      const [added] = await addDeliveries(query, [{ webhook, ...delivery }]);
      if (!added) throw new Error("An insert returned no delivery.");
      return added;
    },
  };
}

async function insertLogged(
  query: Query,
  origin: Origin,
  text: string,
  parameters: readonly Parameter[],
  change: Change,
): Promise<Row[]> {
  const eventId = newEventId();
  const [head, middle, tail] = toEventTemplate(eventId, change, origin);
  const placeholder = (index: number) => `$${parameters.length + 1 + index}`;
  return await query<Row>(
    `WITH added AS (${text}), logged AS (
         INSERT INTO ${query.schema}.event_inbox (${eventColumns})
         SELECT ${placeholder(0)}, ${placeholder(1)}, ${placeholder(2)}::text || id, ${placeholder(3)}, ${placeholder(4)}::text || id || ${placeholder(5)} || id || ${placeholder(6)} FROM added
       ) SELECT * FROM added`,
    [...parameters, eventId, change.type, `${change.kind}/`, origin.at, head, middle, tail],
  );
}

async function runLogged(
  query: Query,
  origin: Origin,
  text: string,
  parameters: readonly Parameter[],
  changes: readonly IdentifiedChange[],
): Promise<void> {
  if (changes.length === 0) {
    await query(text, parameters);
    return;
  }
  const rows = changes.map((change) => {
    const id = newEventId();
    const body = fillEventTemplate(toEventTemplate(id, change, origin), change.id);
    return [id, change.type, `${change.kind}/${change.id}`, origin.at, body];
  });
  const arrays = eventTypes.map((type, index) => `$${parameters.length + 1 + index}::${type}[]`);
  await query(
    `WITH logged AS (
         INSERT INTO ${query.schema}.event_inbox (${eventColumns})
         SELECT ${eventColumns} FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS new (${eventColumns}, place) ORDER BY place
       ) ${text}`,
    [...parameters, ...toColumns(eventTypes, rows)],
  );
}

const eventColumns = "id, type, subject, at, body";
const eventTypes = ["TEXT", "TEXT", "TEXT", "INT8", "TEXT"] as const;

function toColumnsWithFolding(table: ResourceTable, item: ColumnValues) {
  const stored = toColumnValues(table, item);
  const columns = stored.columns.map((name, index) => [name, `$${index + 1}`] as const);
  const textOf = (column: string) => `$${stored.columns.indexOf(column) + 1}::text`;
  const folding = ["folding", foldingOf(textOf("name"), textOf("folded_name"))] as const;
  return {
    columns: stored.columns.includes("folded_name") ? [...columns, folding] : columns,
    values: stored.values.map(toParameter),
  };
}

/** Serialises transactions that change an API key, or depend on other keys; all other transactions only read or insert keys. */
const lockKeys = (schema: string) => `LOCK TABLE ${schema}.keys IN SHARE ROW EXCLUSIVE MODE`;

/** Locks the id, because the row may not exist yet. The first lock excludes only version 1.0.0, which does not share the lock. */
const lockCategory = (schema: string) => `SELECT pg_advisory_xact_lock_shared(hashtext('categories'), hashtext($1)),
  pg_advisory_xact_lock(hashtext('${schema}.categories'), hashtext($1))`;

/** Serialises creates of webhooks. A table lock would wait for deliveries as well. */
const lockNewWebhooks = (schema: string) =>
  `SELECT pg_advisory_xact_lock(hashtext('animal-store webhooks'), hashtext('${schema}.webhooks'))`;
