import { parseJson } from "../base/json.ts";
import { petStatuses } from "../domain/pet.ts";
import type { Table } from "./resource-table.ts";
import type { Transfer } from "./store.ts";
import { type Row, recordTable, tables } from "./tables.ts";

export interface CheckOptions {
  /** True if the event log is compared with the store. */
  readonly shouldReplay: boolean;
}

/** A rule that holds in every store that is as it should be. */
export interface Finding {
  /** Ends the sentence "it was looked whether ...". */
  readonly rule: string;
  /** What is wrong, in a sentence; undefined if nothing is. */
  readonly problem: string | undefined;
  /** Why it could not be looked, in a sentence. */
  readonly skipped?: string;
}

/** How many animals of a status the inventory has, and how many there are. */
export interface InventoryCount {
  readonly status: string;
  readonly stored: number;
  readonly counted: number;
}

/** An open order whose animal is not reserved for it; the status of an animal that is gone is null. */
export interface StrayOrder {
  readonly id: number;
  readonly petId: number;
  readonly petStatus: string | null;
}

/** The last id that a table has given, and the highest that is in it. */
export interface TableIds {
  readonly table: string;
  readonly lastAssigned: number;
  readonly highest: number;
}

export const tablesWithIds: readonly Table[] = tables.filter(({ assignsIds: givesIds }) => givesIds);

export const idRule = "no id will be given twice";

export function toInventoryFinding(counts: readonly InventoryCount[]): Finding {
  const wrong = petStatuses.flatMap((status) => {
    const { stored = 0, counted = 0 } = counts.find((count) => count.status === status) ?? {};
    return stored === counted ? [] : [`${status}: ${stored}, but there are ${counted}`];
  });
  return toFinding("the inventory is the number of the animals", wrong, (list) => `The inventory has ${list}.`);
}

export function toOrderFinding(strays: readonly StrayOrder[]): Finding {
  const wrong = strays.map(
    ({ id, petId, petStatus }) => `order ${id} of animal ${petId}, which is ${petStatus ?? "gone"}`,
  );
  return toFinding("the animal of every open order is pending", wrong, (list) => `Open: ${list}.`);
}

export function toIdFinding(ids: readonly TableIds[]): Finding {
  const wrong = ids
    .filter(({ lastAssigned: given, highest }) => given < highest)
    .map(({ table, lastAssigned: given, highest }) => `${table} has the id ${highest}, but ${given} was given last`);
  return toFinding(idRule, wrong, (list) => `The table ${list}.`);
}

export async function checkRecords({ read }: Pick<Transfer, "read">): Promise<Finding> {
  const outcomeIndex = recordTable.columns.findIndex(([name]) => name === "conclusion");
  let unreadable = 0;
  for (let last: Row | undefined; ; ) {
    const rows = await read(recordTable, last, pageSize);
    unreadable += rows.filter((row) => !isOutcome(String(row[outcomeIndex]))).length;
    if (rows.length < pageSize) break;
    last = rows.at(-1);
  }
  const wrong = unreadable === 0 ? [] : [`${unreadable} cannot`];
  return toFinding("what is kept of repeatable requests can be read", wrong, (list) => `Of what is kept, ${list}.`);
}

export function toFinding(rule: string, wrong: readonly string[], sentence: (list: string) => string): Finding {
  return { rule, problem: wrong.length === 0 ? undefined : sentence(wrong.join("; ")) };
}

export const maxShown = 5;
const pageSize = 1_000;

function isOutcome(text: string): boolean {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
