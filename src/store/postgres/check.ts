import type { PostgresAddress } from "../../base/database-address.ts";
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
} from "../check.ts";
import { replay } from "../replay.ts";
import type { Connection } from "./connection.ts";
import { requireStore } from "./migrate.ts";
import { explainOpenError, requireRights, withConnection } from "./prepare.ts";
import type { Query } from "./query.ts";
import { fixMoment, replaySource } from "./replay.ts";
import { transferOf } from "./transfer.ts";

/** Looks at all that is in a database, each rule as of one moment, while instances write to it. Throws StoreOpenError. */
export async function checkPostgres(address: PostgresAddress, { replays }: CheckOptions): Promise<Finding[]> {
  try {
    return await withConnection(address, { limitMilliseconds: longestRuleMs }, async (connection) => {
      await requireStore(connection, address.schema);
      await requireRights(connection, address.schema);
      const findings = await checkRules(connection, address.schema);
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

async function checkRules(connection: Connection, schema: string): Promise<Finding[]> {
  const { query } = connection;
  return [
    await checkIndexes(query, schema),
    await checkInventory(query),
    await checkOrders(query),
    await checkIds(connection),
    await claimFinding(transferOf(connection)),
  ];
}

/** A build of an index that was broken off leaves one that nothing uses. */
async function checkIndexes(query: Query, schema: string): Promise<Finding> {
  const rows = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND NOT indisvalid`,
    [schema],
  );
  const names = rows.map(({ name }) => name);
  return finding("every index is whole", names, (list) => `Rebuild with REINDEX INDEX CONCURRENTLY: ${list}.`);
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
    const [last] = await query<{ isReadable: boolean; id: string | null }>(
      `SELECT has_sequence_privilege(name, 'USAGE, SELECT') AS "isReadable", pg_sequence_last_value(name::regclass) AS id
       FROM pg_get_serial_sequence('store.${name}', 'id') AS name`,
    );
    if (!last?.isReadable) {
      const skipped = "The PostgreSQL user may not see which ids were given; run this as the owner of the schema.";
      return { rule: idRule, problem: undefined, skipped };
    }
    ids.push({ table: name, given: Number(last.id ?? 0), highest: Number(row?.id ?? 0) });
  }
  return idFinding(ids);
}
