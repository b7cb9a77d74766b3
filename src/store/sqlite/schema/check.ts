import type { Database } from "bun:sqlite";
import {
  type CheckOptions,
  checkRecords,
  type Finding,
  type InventoryCount,
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
import { examineVersion, explainOpenError, findProblems, openUnchanged } from "../file/examine.ts";
import { createReplaySource } from "../replay.ts";
import { prepareTransferReads } from "../transfer.ts";
import { newestVersion } from "./migrate.ts";
import { compareParts, isVital, type SchemaPart, textOf, titleOf } from "./schema-parts.ts";

/** Checks a snapshot, so a service may write to the file meanwhile. Throws StoreOpenError. */
export async function checkSqlite(path: string, { shouldReplay }: CheckOptions): Promise<Finding[]> {
  try {
    if (examineVersion(path).version < newestVersion) {
      throw new StoreOpenError(`${path} is of an older version. Run animal-store migrate first.`);
    }
    using database = openUnchanged(path);
    database.run("PRAGMA busy_timeout = 5000");
    database.run("BEGIN");
    const damage = findProblems(database, `integrity_check(${maxShownItems})`);
    const integrity = toFinding("the file is undamaged", damage, (list) => `Restore a backup: ${list}.`);
    // Other findings about a damaged file would be unreliable.
    if (integrity.problem !== undefined) return [integrity];
    return [integrity, ...(await checkRules(database, shouldReplay))];
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

async function checkRules(database: Database, shouldReplay: boolean): Promise<Finding[]> {
  const { missing, foreign } = compareParts(database);
  const schemaFindings = [toSchemaFinding(missing), toTriggerFinding(foreign)];
  if (missing.some(isVital)) return schemaFindings;
  const findings = [
    ...schemaFindings,
    toInventoryFinding(
      database
        .query<InventoryCount, []>(
          `SELECT status, count AS stored, (SELECT count(*) FROM pets WHERE pets.status = inventory.status) AS counted
           FROM inventory`,
        )
        .all(),
    ),
    toOrderFinding(
      database
        .query<StrayOrder, []>(
          `SELECT orders.id, pet_id AS petId, pets.status AS petStatus
           FROM orders LEFT JOIN pets ON pets.id = pet_id
           WHERE orders.status = 'placed' AND pets.status IS NOT 'pending' ORDER BY orders.id LIMIT ${maxShownItems}`,
        )
        .all(),
    ),
    toIdFinding(readTableIds(database)),
    await checkRecords(prepareTransferReads(database)),
  ];
  database.run("COMMIT");
  // A replay needs the indexes of the event log.
  return shouldReplay && missing.length === 0
    ? [...findings, ...(await replay(createReplaySource(database)))]
    : findings;
}

function toSchemaFinding(missing: readonly SchemaPart[]): Finding {
  const names = missing.map(titleOf);
  const statements = missing.map((part) => `${textOf(part)};`);
  const advice = missing.some(isVital)
    ? "Restore a backup."
    : `Stop the service, and restore a backup with animal-store restore, or run with SQLite's own shell: ${statements.join(" ")}`;
  return toFinding("the schema is complete", names, (list) => `Missing: ${list}. ${advice}`);
}

function toTriggerFinding(foreign: readonly SchemaPart[]): Finding {
  const names = foreign.map(({ name }) => JSON.stringify(name));
  return toFinding(
    "every trigger is the program's own",
    names,
    (list) =>
      `Others may change data at every write: ${list}. Find out who made them, and drop them with SQLite's own shell.`,
  );
}

function readTableIds(database: Database): TableIds[] {
  const lastIds = prepareTransferReads(database).lastIds();
  return tablesWithIds.map(({ name }) => {
    const row = database.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${name}`).get();
    return { table: name, lastAssigned: lastIds[name] ?? 0, highest: row?.id ?? 0 };
  });
}
