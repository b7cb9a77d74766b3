import type { PostgresAddress } from "../../../base/database-address.ts";
import {
  type CheckOptions,
  claimFinding,
  type Finding,
  finding,
  type IdsOfTable,
  idFinding,
  idRule,
  inventoryFinding,
  mostShown,
  orderFinding,
  tablesThatGiveIds,
} from "../../check.ts";
import { replay } from "../../replay.ts";
import { StoreOpenError } from "../../store.ts";
import { fixMoment, replaySource } from "../events/replay.ts";
import type { Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { transferOf } from "../transfer.ts";
import { migrations, requireStore } from "./migrate.ts";
import { explainOpenError, requireRights, withUsableServer } from "./prepare.ts";
import { isVital, missingParts, type SchemaPart, schemaParts, titleOf } from "./schema-parts.ts";
import { idsAreHidden, lastIdGiven } from "./sequences.ts";

/** Looks at all that is in a database, each rule as of one moment, while instances write to it. Throws StoreOpenError. */
export async function checkPostgres(address: PostgresAddress, { replays }: CheckOptions): Promise<Finding[]> {
  try {
    return await withUsableServer(address, { limitMilliseconds: longestRuleMs }, async (connection) => {
      const { pending, isNewer } = await requireRights(connection, address.schema);
      await requireStore(connection, address.schema);
      if (pending.length > 0) {
        throw new StoreOpenError("The schema of the database is of an older version. Run animal-store migrate first.");
      }
      const found = await catalogueOf(connection.query, address.schema);
      const missing = missingParts(schemaParts(migrations, address.schema), found);
      const complete = isNewer ? newerFinding : schemaFinding(missing);
      // Without its tables, nothing could be asked.
      if (missing.some(isVital)) return [complete];
      const findings = [complete, ...(await checkRules(connection, found, address.schema))];
      return replays ? [...findings, ...(await replayAll(connection))] : findings;
    });
  } catch (error) {
    throw explainOpenError(error);
  }
}

/** Counting a hundred million animals takes a while. */
const longestRuleMs = 600_000;

async function replayAll(connection: Connection): Promise<Finding[]> {
  return await connection.transaction(async (query) => {
    await fixMoment(query);
    return await replay(replaySource(query));
  });
}

/** A part of the schema that is there. */
interface Found {
  readonly type: SchemaPart["type"];
  readonly name: string;
  /** Of a trigger. */
  readonly table: string | null;
  /** Whether reads use the index, or writes fire the trigger. */
  readonly works: boolean;
  /** Whether somebody has the lock on the table of the index that building it takes. */
  readonly isLocked: boolean;
}

async function catalogueOf(query: Query, schema: string): Promise<Found[]> {
  return await query<Found>(
    `SELECT CASE relkind WHEN 'i' THEN 'index' ELSE 'table' END AS type, relname AS name, NULL AS "table",
            coalesce(indisvalid, true) AS works,
            EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
                    WHERE datname = current_database() AND relation = indrelid AND granted
                      AND mode = 'ShareUpdateExclusiveLock') AS "isLocked"
     FROM pg_class LEFT JOIN pg_index ON indexrelid = pg_class.oid
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind IN ('r', 'i')
     UNION ALL SELECT kind, relname || '.' || attname, NULL, true, false
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     JOIN unnest('{column,identity}'::text[]) AS kinds (kind) ON kind = 'column' OR attidentity <> ''
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind = 'r'
       AND attnum > 0 AND NOT attisdropped
     UNION ALL SELECT 'trigger', tgname, relname, tgenabled IN ('O', 'A'), false
     FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND NOT tgisinternal
     UNION ALL SELECT 'function', proname, NULL, true, false
     FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
     ORDER BY type, name`,
    [schema],
  );
}

const schemaRule = "the schema is complete";

/** What it may do without is known to the newer program. */
const newerFinding: Finding = {
  rule: schemaRule,
  problem: undefined,
  skipped: "The schema is of a newer version. Run the check of that version.",
};

/**
 * What somebody has dropped is missed by no other rule: without an index, reads are slow, and without a trigger, the inventory
 * goes wrong only later.
 */
function schemaFinding(missing: readonly SchemaPart[]): Finding {
  const names = missing.map(titleOf);
  const statements = missing.flatMap(({ remake }) => remake ?? []);
  const advice = statements.length < missing.length ? "Restore a backup." : runAsOwner(statements);
  return finding(schemaRule, names, (list) => `Missing: ${list}. ${advice}`);
}

function runAsOwner(statements: readonly string[]): string {
  return `Run as the owner of the schema: ${statements.join(" ")}`;
}

async function checkRules(connection: Connection, found: readonly Found[], schema: string): Promise<Finding[]> {
  const { query } = connection;
  return [
    indexFinding(found, schema),
    triggerFinding(found, schema),
    await checkInventory(query),
    await checkOrders(query),
    await checkIds(connection),
    await claimFinding(transferOf(connection)),
  ];
}

/** A build of an index that was broken off leaves one that nothing uses; one of `REINDEX`, a second one beside the first. */
function indexFinding(found: readonly Found[], schema: string): Finding {
  const rule = "every index is whole";
  const invalid = found.filter(({ type, works }) => type === "index" && !works);
  const broken = invalid.filter(({ isLocked }) => !isLocked);
  if (invalid.length > 0 && broken.length === 0) {
    return { rule, problem: undefined, skipped: "One is being built, it seems. Run the check again afterwards." };
  }
  const statements = broken.map(({ name }) => {
    const verb = /_cc(?:new|old)\d*$/.test(name) ? "DROP" : "REINDEX";
    return `${verb} INDEX CONCURRENTLY "${schema}"."${name}";`;
  });
  return finding(rule, statements, () => runAsOwner(statements));
}

/** A load of a dump that was broken off may leave them disabled. */
function triggerFinding(found: readonly Found[], schema: string): Finding {
  const statements = found
    .filter(({ type, works }) => type === "trigger" && !works)
    .map(({ name, table }) => `ALTER TABLE "${schema}"."${table}" ENABLE TRIGGER "${name}";`);
  return finding("every trigger is enabled", statements, () => runAsOwner(statements));
}

/** In one statement, which sees the animals and the changes as of one moment. */
async function checkInventory(query: Query): Promise<Finding> {
  const rows = await query<{ status: string; noted: string; counted: string }>(
    `SELECT status, sum(noted) AS noted, sum(counted) AS counted FROM (
       SELECT status, change AS noted, 0 AS counted FROM store.inventory_changes
       UNION ALL SELECT status, 0, count(*) FROM store.pets GROUP BY status
     ) AS both_counts GROUP BY status`,
  );
  return inventoryFinding(
    rows.map(({ status, noted, counted }) => ({ status, noted: Number(noted), counted: Number(counted) })),
  );
}

async function checkOrders(query: Query): Promise<Finding> {
  const rows = await query<{ id: string; petId: string; petStatus: string | null }>(
    `SELECT orders.id, pet_id AS "petId", pets.status AS "petStatus"
     FROM store.orders AS orders LEFT JOIN store.pets AS pets ON pets.id = pet_id
     WHERE orders.status = 'placed' AND pets.status IS DISTINCT FROM 'pending' ORDER BY orders.id LIMIT ${mostShown}`,
  );
  return orderFinding(rows.map(({ id, petId, petStatus }) => ({ id: Number(id), petId: Number(petId), petStatus })));
}

/** The highest id is read first: what is added meanwhile has been given its id before. */
async function checkIds({ query }: Connection): Promise<Finding> {
  const ids: IdsOfTable[] = [];
  for (const { name } of tablesThatGiveIds) {
    const [row] = await query<{ id: string | null }>(`SELECT max(id) AS id FROM store.${name}`);
    const given = await lastIdGiven(query, name);
    if (given === undefined) return { rule: idRule, problem: undefined, skipped: idsAreHidden };
    ids.push({ table: name, given, highest: Number(row?.id ?? 0) });
  }
  return idFinding(ids);
}
