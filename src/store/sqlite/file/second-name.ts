import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreOpenError } from "../../store.ts";
import { journalOf, sizeOf, walOf } from "./database-files.ts";

/** Returns the name under which a restore keeps the replaced store. */
export function nameBefore(path: string, time: Date): string {
  return `${path}.before-${time.toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

/**
 * Returns the second names of a store: hard links that a restore has left because it was killed before it replaced the store. SQLite would
 * keep a separate WAL for each name.
 */
export function secondNamesOf(path: string): string[] {
  const store = statSync(path, statOptions);
  if (!store || store.nlink === 1) return [];
  const start = `${basename(path)}.before-`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name))
    .filter((file) => {
      const found = statSync(file, statOptions);
      return found?.ino === store.ino && found.dev === store.dev;
    });
}

/** Throws StoreOpenError if a killed restore has already renamed the WAL of a store. */
export function requireOwnWal(path: string): void {
  for (const name of secondNamesOf(path)) {
    const leftover = [walOf(name), journalOf(name)].find((file) => sizeOf(file) > 0);
    if (leftover === undefined) continue;
    throw new StoreOpenError(
      `${path} is the same file as ${name}, to which ${leftover} belongs, because a restore was killed. Run animal-store restore FILE --replace again; nothing was changed.`,
    );
  }
}

/** Removes the second names. To be called only while the store is open, because a restore cannot add a name then. */
export function removeSecondNames(path: string): void {
  for (const name of secondNamesOf(path)) rmSync(name, { force: true });
}

const statOptions = { throwIfNoEntry: false } as const;
