import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** One for each server that may be the primary. They may hold a password, and are never shown. */
  readonly urls: readonly string[];
  readonly schema: string;
  /** Standbys that may serve reads. */
  readonly replicas: readonly string[];
}

/**
 * Resolves symbolic links, also to a file that does not exist yet. SQLite keeps its WAL beside the file itself: a search beside the link
 * would mistake a database in use for one at rest. A path that cannot be read is returned as it is; opening it reports the error.
 */
export function fileBehindLinks(path: string): string {
  let file = path;
  try {
    for (let followed = 0; followed < maxLinks; followed++) {
      if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return file;
    throw error;
  }
  return path;
}

/** The limit of Linux; a longer chain is a cycle. */
const maxLinks = 40;
