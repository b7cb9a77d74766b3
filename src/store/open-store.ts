import { existsSync } from "node:fs";
import type { DatabaseAddress } from "../domain/database-address.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store, StoreOpenError } from "./store.ts";

/** Opens the store at an address that must have one already. Throws StoreOpenError. */
export function openExistingStore(address: DatabaseAddress, onDeath: (reason: string) => void): Store {
  if (!existsSync(address.path)) throw new StoreOpenError(`${address.path} does not exist.`);
  return openStore(address, onDeath);
}

/** Opens the store at an address, creating it if there is none. Throws StoreOpenError. */
export function openStore({ path }: DatabaseAddress, onDeath: (reason: string) => void): Store {
  return openSqliteStore(path, onDeath);
}
