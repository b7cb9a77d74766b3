import { toJson } from "../../base/json.ts";
import type { Table } from "../resource-table.ts";
import { StoreOpenError, type Transfer } from "../store.ts";
import { columnNames, keyColumnOf, type Row, tables, upsertClause } from "../tables.ts";
import { PrivilegeMissing } from "./errors.ts";
import { maxBatchEvents, rowsUpTo, selectEvents } from "./events/event-rows.ts";
import type { EventSequencer } from "./events/event-sequencer.ts";
import { parseDigits } from "./pages.ts";
import { type Parameter, toParameter } from "./query.ts";
import { foldingOf, foldNames, hasNames } from "./schema/fold-names.ts";
import { hiddenIdsMessage, lastAssigned, lastAssignedId, sequenceOf } from "./schema/sequences.ts";
import type { Connection } from "./servers/connection.ts";

export function createTransfer(connection: Connection, sequencer?: EventSequencer): Transfer {
  const { query, schema } = connection;
  const finishPendingWork = async (table: Table) => {
    if (isEventLog(table)) await sequencer?.sequenceAll();
    if (hasNames(table) && sequencer) await foldNames(query, table.name);
  };
  return {
    async count(table) {
      const { name } = table;
      await finishPendingWork(table);
      const count = isEventLog(table) ? "coalesce(sum(size), 0)" : "count(*)";
      const [row] = await query<{ count: string }>(`SELECT ${count} AS count FROM ${schema}.${name}`);
      return Number(row?.count);
    },

    async read(table, after, limit) {
      if (after === undefined) await finishPendingWork(table);
      const key = keyColumnOf(table);
      const [last] = after ?? (isEventLog(table) ? [beforeAllEvents] : []);
      const parameters: Parameter[] = last === undefined ? [] : [toParameter(last)];
      const condition = last === undefined ? "" : `WHERE ${key} > $1`;
      const maxRows = `$${parameters.push(limit)}`;
      const source = isEventLog(table) ? eventsAfter(schema, "$1", maxRows) : `${schema}.${table.name}`;
      const rows = await query<Readonly<Record<string, string | Uint8Array | null>>>(
        `SELECT ${columnNames(table).join(", ")} FROM ${source} ${condition} ORDER BY ${key} LIMIT ${maxRows}`,
        parameters,
      );
      return rows.map((row) =>
        table.columns.map(([name, type]) => {
          const value = row[name] ?? null;
          return typeof value === "string" && type === "integer" ? parseDigits(value) : value;
        }),
      );
    },

    async write(table, rows) {
      const names = columnNames(table).join(", ");
      const [column, value] = ownColumn(table);
      const into = `${schema}.${table.name}`;
      const text = `INSERT INTO ${into} (${names}${column}) OVERRIDING SYSTEM VALUE
         SELECT ${names}${value} FROM json_populate_recordset(NULL::${into}, $1::text::json) ${upsertClause(table)}`;
      await withOwnerAdvice(query(text, [toJson(rows.map((row) => toRecord(table, row)))]));
    },

    async lastIds() {
      const last: Record<string, number> = {};
      for (const { name } of tables.filter(({ assignsIds }) => assignsIds)) {
        const id = await lastAssignedId(query, name);
        if (id === undefined) throw new StoreOpenError(hiddenIdsMessage);
        last[name] = id;
      }
      return last;
    },

    async reserveIds(last) {
      for (const [table, id] of Object.entries(last)) {
        if (id === 0) continue;
        const next = `greatest($1, coalesce(${lastAssigned(schema, table, "id")}, 1))`;
        await withOwnerAdvice(query(`SELECT setval(${sequenceOf(schema, table, "id")}, ${next})`, [id]));
      }
    },
  };
}

async function withOwnerAdvice(write: Promise<unknown>): Promise<void> {
  await write.catch((error) => {
    if (!(error instanceof PrivilegeMissing)) throw error;
    throw new StoreOpenError(
      `The PostgreSQL user may not write the copied data (${error.cause}). Run this as the owner of the schema.`,
    );
  });
}

/** A row of the event log may hold several events, but a copy writes one row per event. */
function isEventLog({ name }: Table): boolean {
  return name === "events";
}

/** Returns SQL for the column that only PostgreSQL has, and for its value. */
function ownColumn(table: Table): readonly [column: string, value: string] {
  if (isEventLog(table)) return [", size", ", 1"];
  return hasNames(table) ? [", folding", `, ${foldingOf("name", "folded_name")}`] : ["", ""];
}

/** A position before 0, because an incomplete event log begins with a mark at position 0. */
const beforeAllEvents = -1;

/** Returns SQL for the events after a position, and for some earlier events, because a batch may begin before the position. */
function eventsAfter(schema: string, position: string, limit: string): string {
  const wanted = `${limit} + ${maxBatchEvents}`;
  const walk = `SELECT * FROM ${schema}.events WHERE position > ${position} - ${maxBatchEvents} ORDER BY position LIMIT ${wanted}`;
  return `(${selectEvents(rowsUpTo(wanted, walk))}) AS events`;
}

function toRecord({ columns }: Table, row: Row): object {
  return Object.fromEntries(
    columns.map(([name], index) => {
      const value = row[index] ?? null;
      return [name, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value];
    }),
  );
}
