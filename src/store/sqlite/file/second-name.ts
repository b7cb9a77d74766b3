import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreOpenError } from "../../store.ts";
import { journalOf, logOf, sizeOf } from "./paths.ts";

/** What a store is called once a restore has replaced it, which was at this time. */
export function nameBefore(path: string, time: Date): string {
  return `${path}.before-${time.toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

/**
 * The names that a restore has given to the store in order to keep it, and was killed before it put another in its place. They
 * lead to one and the same file, for which SQLite would have a log by each of its names.
 */
export function secondNamesOf(path: string): string[] {
  const store = statSync(path, orNothing);
  if (!store || store.nlink === 1) return [];
  const folder = dirname(path);
  const start = `${basename(path)}.before-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(start.length)))
    .map((name) => join(folder, name))
    .filter((file) => {
      const found = statSync(file, orNothing);
      return found?.ino === store.ino && found.dev === store.dev;
    });
}

/** Refuses a store whose log has got the second name already. Throws StoreOpenError. */
export function requireOwnLog(path: string): void {
  for (const name of secondNamesOf(path)) {
    const log = [logOf(name), journalOf(name)].find((file) => sizeOf(file) > 0);
    if (log === undefined) continue;
    throw new StoreOpenError(
      `${path} is the same file as ${name}, to which ${log} belongs, because a restore was killed. Run animal-store restore FILE --replace again; nothing was changed.`,
    );
  }
}

/** To be called only while the store is open, which keeps a restore from giving it a second name. */
export function removeSecondNames(path: string): void {
  for (const name of secondNamesOf(path)) rmSync(name, { force: true });
}

const orNothing = { throwIfNoEntry: false } as const;
