import type { DatabaseAddress } from "../base/database-address.ts";
import type { CheckOptions, Finding } from "./check.ts";
import type { StoreFacts } from "./inspection.ts";
import { checkSqlite } from "./sqlite/schema/check.ts";
import { inspectSqlite } from "./sqlite/schema/inspect.ts";
import { openSqliteStore, planSqliteMigration } from "./sqlite/sqlite-store.ts";
import type { MigrationPlan, Store } from "./store.ts";
import type { StoreOptions } from "./telemetry.ts";

// The PostgreSQL adapter is loaded on demand, so that SQLite stores open faster. All functions throw StoreOpenError.

export async function openStore(address: DatabaseAddress, options: StoreOptions): Promise<Store> {
  if (address.kind === "sqlite") return await openSqliteStore(address.path, options);
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return await openPostgresStore(address, options);
}

export function openExistingStore(address: DatabaseAddress, options: StoreOptions): Promise<Store> {
  return openStore(address, { ...options, mustExist: true });
}

export async function planMigration(address: DatabaseAddress): Promise<MigrationPlan> {
  if (address.kind === "sqlite") return planSqliteMigration(address.path);
  const { planPostgresMigration } = await import("./postgres/schema/prepare.ts");
  return await planPostgresMigration(address);
}

export async function inspectStore(address: DatabaseAddress, poolSize: number): Promise<StoreFacts> {
  if (address.kind === "sqlite") return inspectSqlite(address.path);
  const { inspectPostgres } = await import("./postgres/schema/prepare.ts");
  return await inspectPostgres(address, poolSize);
}

export async function checkStore(address: DatabaseAddress, options: CheckOptions): Promise<Finding[]> {
  if (address.kind === "sqlite") return await checkSqlite(address.path, options);
  const { checkPostgres } = await import("./postgres/schema/check.ts");
  return await checkPostgres(address, options);
}
