import { parseJson } from "../base/json.ts";
import { petStatuses } from "../domain/pet.ts";
import type { Table } from "./resource-table.ts";
import type { Transfer } from "./store.ts";
import { columnNames, type Row, recordTable, tables } from "./tables.ts";

export interface CheckOptions {
  readonly shouldReplay: boolean;
}

export interface Finding {
  readonly rule: string;
  /** A sentence about the violation; undefined if the rule holds. */
  readonly problem: string | undefined;
  /** A sentence with the reason why the rule could not be checked. */
  readonly skipped?: string;
}

/** Number of animals with a status, as stored in the inventory and as counted in the table. */
export type InventoryCount = Readonly<{ status: string; stored: number; counted: number }>;

/** An open order whose animal is not pending; the status of a missing animal is null. */
export type StrayOrder = Readonly<{ id: number; petId: number; petStatus: string | null }>;

/** The last id that a table has assigned, and the highest id in the table. */
export type TableIds = Readonly<{ table: string; lastAssigned: number; highest: number }>;

export const tablesWithIds: readonly Table[] = tables.filter(({ assignsIds }) => assignsIds);

export const idRule = "no id will be assigned twice";

export function toInventoryFinding(counts: readonly InventoryCount[]): Finding {
  const wrong = petStatuses.flatMap((status) => {
    const { stored = 0, counted = 0 } = counts.find((count) => count.status === status) ?? {};
    return stored === counted ? [] : [`${status}: ${stored}, but there are ${counted}`];
  });
  return toFinding("the inventory agrees with the number of animals", wrong, (list) => `The inventory has ${list}.`);
}

export function toOrderFinding(strays: readonly StrayOrder[]): Finding {
  const wrong = strays.map(
    ({ id, petId, petStatus }) => `order ${id} of animal ${petId}, which is ${petStatus ?? "gone"}`,
  );
  return toFinding("the animal of every open order is pending", wrong, (list) => `Open: ${list}.`);
}

export function toIdFinding(ids: readonly TableIds[]): Finding {
  const wrong = ids
    .filter(({ lastAssigned, highest }) => lastAssigned < highest)
    .map(({ table, lastAssigned, highest }) => `${table} has the id ${highest}, but last assigned ${lastAssigned}`);
  return toFinding(idRule, wrong, (list) => `The table ${list}.`);
}

export async function checkRecords({ read }: Pick<Transfer, "read">): Promise<Finding> {
  const outcomeIndex = columnNames(recordTable).indexOf("conclusion");
  let unreadableCount = 0;
  let rows: Row[] = [];
  do {
    rows = await read(recordTable, rows.at(-1), pageSize);
    unreadableCount += rows.filter((row) => !isOutcome(String(row[outcomeIndex]))).length;
  } while (rows.length === pageSize);
  const wrong = unreadableCount === 0 ? [] : [String(unreadableCount)];
  return toFinding("the stored outcomes of requests can be read", wrong, (count) => `Unreadable outcomes: ${count}.`);
}

export function toFinding(rule: string, wrong: readonly string[], sentence: (list: string) => string): Finding {
  return { rule, problem: wrong.length === 0 ? undefined : sentence(wrong.join("; ")) };
}

export const maxShownItems = 5;
const pageSize = 1_000;

function isOutcome(text: string): boolean {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
