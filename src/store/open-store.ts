import type { DatabaseAddress } from "../base/database-address.ts";
import type { CheckOptions, Finding } from "./check.ts";
import type { StoreFacts } from "./inspection.ts";
import { checkSqlite } from "./sqlite/schema/check.ts";
import { inspectSqlite } from "./sqlite/schema/inspect.ts";
import { openSqliteStore, planSqliteMigration } from "./sqlite/sqlite-store.ts";
import type { MigrationPlan, Store } from "./store.ts";
import type { AdapterOptions, StoreOptions } from "./telemetry.ts";

/** Opens the store at an address, creating it if there is none. Throws StoreOpenError. */
export function openStore(address: DatabaseAddress, options: StoreOptions): Promise<Store> {
  return open(address, { ...options, mustExist: false });
}

/** Opens the store at an address that must have one already. Throws StoreOpenError. */
export function openExistingStore(address: DatabaseAddress, options: StoreOptions): Promise<Store> {
  return open(address, { ...options, mustExist: true });
}

/** What opening the store would do, without doing it. Throws StoreOpenError. */
export async function planMigration(address: DatabaseAddress): Promise<MigrationPlan> {
  if (address.kind === "sqlite") return planSqliteMigration(address.path);
  const { planPostgresMigration } = await import("./postgres/schema/prepare.ts");
  return await planPostgresMigration(address);
}

/** What can be found out about the store, or about where it will be, without changing anything. Throws StoreOpenError. */
export async function inspectStore(address: DatabaseAddress): Promise<StoreFacts> {
  if (address.kind === "sqlite") return inspectSqlite(address.path);
  const { inspectPostgres } = await import("./postgres/schema/prepare.ts");
  return await inspectPostgres(address);
}

/** Whether all that is in the store is as it should be, having changed nothing. Throws StoreOpenError. */
export async function checkStore(address: DatabaseAddress, options: CheckOptions): Promise<Finding[]> {
  if (address.kind === "sqlite") return await checkSqlite(address.path, options);
  const { checkPostgres } = await import("./postgres/schema/check.ts");
  return await checkPostgres(address, options);
}

async function open(address: DatabaseAddress, options: AdapterOptions): Promise<Store> {
  if (address.kind === "sqlite") return await openSqliteStore(address.path, options);
  // Loaded only where it is used, so that the embedded store starts as fast as it can.
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return await openPostgresStore(address, options);
}
