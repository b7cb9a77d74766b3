import type { PostgresAddress } from "../../../base/database-address.ts";
import {
  type CheckOptions,
  checkRecords,
  type Finding,
  type InventoryCount,
  idRule,
  maxShownItems,
  type StrayOrder,
  type TableIds,
  tablesWithIds,
  toFinding,
  toIdFinding,
  toInventoryFinding,
  toOrderFinding,
} from "../../check.ts";
import { replay } from "../../replay.ts";
import { StoreOpenError } from "../../store.ts";
import { createReplaySource } from "../events/replay.ts";
import { beginSnapshot, type Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { createTransfer } from "../transfer.ts";
import { requireRights, requireStore, type SchemaPlan, withUsableServer } from "./prepare.ts";
import { isVital } from "./schema-parts.ts";
import { hiddenIdsMessage, lastAssignedId } from "./sequences.ts";

export async function checkPostgres(address: PostgresAddress, { shouldReplay }: CheckOptions): Promise<Finding[]> {
  const { schema } = address;
  return await withUsableServer(address, { limitMilliseconds: maxRuleMs }, async (connection) => {
    const plan = await requireRights(connection, schema);
    requireStore(plan, schema);
    if (plan.pending.length > 0) {
      throw new StoreOpenError("The schema of the database is of an older version. Run animal-store migrate first.");
    }
    const completeness = toSchemaFinding(plan);
    // The other rules need all tables and columns.
    if (plan.missing.some(isVital)) return [completeness];
    const findings = [completeness, ...(await checkRules(connection))];
    if (!shouldReplay) return findings;
    const replayed = connection.transaction(async (query) => {
      await query(beginSnapshot);
      return await replay(createReplaySource(query));
    });
    return [...findings, ...(await replayed)];
  });
}

const maxRuleMs = 600_000;

function toSchemaFinding({ isNewer, missing }: SchemaPlan): Finding {
  const rule = "the schema is complete";
  if (isNewer) {
    return { rule, problem: undefined, skipped: "The schema is of a newer version. Run the check of that version." };
  }
  const statements = missing.flatMap(({ repair }) => repair ?? []);
  const advice = statements.length < missing.length ? "Restore a backup." : adviseOwner(statements);
  const titles = missing.map(({ title }) => title);
  return toFinding(rule, titles, (list) => `Missing: ${list}. ${advice}`);
}

function adviseOwner(statements: readonly string[]): string {
  return `Run as the owner of the schema: ${statements.join(" ")}`;
}

async function checkRules(connection: Connection): Promise<Finding[]> {
  const { query } = connection;
  return [
    await checkIndexes(query),
    await checkTriggers(query),
    await checkInventory(query),
    await checkOrders(query),
    await checkIds(query),
    await checkRecords(createTransfer(connection)),
  ];
}

/** Finds invalid indexes: an interrupted build leaves one, and an interrupted `REINDEX` leaves one beside the valid index. */
async function checkIndexes(query: Query): Promise<Finding> {
  const rule = "every index is whole";
  // During its build, an index is invalid, and the build holds this lock on the table.
  const invalid = await query<{ name: string; isLocked: boolean }>(
    `SELECT relname AS name,
            EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
                    WHERE datname = current_database() AND relation = indrelid AND granted
                      AND mode = 'ShareUpdateExclusiveLock') AS "isLocked"
     FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'i' AND NOT indisvalid ORDER BY relname`,
    [query.schema],
  );
  const broken = invalid.filter(({ isLocked }) => !isLocked);
  if (invalid.length > 0 && broken.length === 0) {
    return { rule, problem: undefined, skipped: "A build seems to be running. Run the check again afterwards." };
  }
  const statements = broken.map(({ name }) => {
    const verb = /_cc(?:new|old)\d*$/.test(name) ? "DROP" : "REINDEX";
    return `${verb} INDEX CONCURRENTLY ${query.schema}."${name}";`;
  });
  return toFinding(rule, statements, () => adviseOwner(statements));
}

/** Finds disabled triggers, which an interrupted restore of a dump may leave. */
async function checkTriggers(query: Query): Promise<Finding> {
  const rows = await query<{ name: string; table: string }>(
    `SELECT tgname AS name, relname AS "table" FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = to_regnamespace($1) AND NOT tgisinternal AND tgenabled NOT IN ('O', 'A') ORDER BY tgname`,
    [query.schema],
  );
  const statements = rows.map(({ name, table }) => `ALTER TABLE ${query.schema}."${table}" ENABLE TRIGGER "${name}";`);
  return toFinding("every trigger is enabled", statements, () => adviseOwner(statements));
}

async function checkInventory(query: Query): Promise<Finding> {
  const rows = await query<InventoryCount>(
    `SELECT status, sum(stored)::float8 AS stored, sum(counted)::float8 AS counted FROM (
       SELECT status, change AS stored, 0 AS counted FROM ${query.schema}.inventory_changes
       UNION ALL SELECT status, 0, count(*) FROM ${query.schema}.pets GROUP BY status
     ) AS both_counts GROUP BY status`,
  );
  return toInventoryFinding(rows);
}

async function checkOrders(query: Query): Promise<Finding> {
  const rows = await query<StrayOrder>(
    `SELECT orders.id::float8 AS id, pet_id::float8 AS "petId", pets.status AS "petStatus"
     FROM ${query.schema}.orders AS orders LEFT JOIN ${query.schema}.pets AS pets ON pets.id = pet_id
     WHERE orders.status = 'placed' AND pets.status IS DISTINCT FROM 'pending' ORDER BY orders.id LIMIT ${maxShownItems}`,
  );
  return toOrderFinding(rows);
}

/** Reads the highest id before the sequence, so a row that is inserted in between causes no finding. */
async function checkIds(query: Query): Promise<Finding> {
  const ids: TableIds[] = [];
  for (const { name } of tablesWithIds) {
    const [row] = await query<{ id: string | null }>(`SELECT max(id) AS id FROM ${query.schema}.${name}`);
    const lastAssigned = await lastAssignedId(query, name);
    if (lastAssigned === undefined) return { rule: idRule, problem: undefined, skipped: hiddenIdsMessage };
    ids.push({ table: name, lastAssigned, highest: Number(row?.id ?? 0) });
  }
  return toIdFinding(ids);
}
