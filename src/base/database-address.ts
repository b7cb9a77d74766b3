import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Where the animals are kept. */
export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** One for each server that may be the primary. They may hold a password, and so are never shown. */
  readonly urls: readonly string[];
  /** The schema in which the tables are. */
  readonly schema: string;
  /** Standbys that reads may be sent to. */
  readonly replicas: readonly string[];
}

/**
 * The file that a path leads to, also if it is still to be made. SQLite follows symbolic links as well, and has its log beside
 * the file: who looked for that beside a link would take a database in use for one that is at rest. What cannot be looked at is
 * left as it is, since whoever opens it can say what to do about it.
 */
export function fileBehindLinks(path: string): string {
  let file = path;
  try {
    for (let followed = 0; followed < mostLinks; followed++) {
      if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return file;
    throw error;
  }
  return path;
}

/** As many as Linux follows; more are links to each other, of which the operating system will complain. */
const mostLinks = 40;
