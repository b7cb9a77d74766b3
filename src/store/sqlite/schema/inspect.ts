import { Database } from "bun:sqlite";
import { statfsSync, statSync } from "node:fs";
import type { StoredFile, StoredFolder, StoreFacts } from "../../inspection.ts";
import { examineFile, examineVersion, requireWritable } from "../file/examine.ts";
import { explainOpenError } from "../file/explain.ts";
import { existingFolderOf, journalOf, logIndexOf, logOf } from "../file/paths.ts";
import { requireOwnLog } from "../file/second-name.ts";
import { newestVersion } from "./migrate.ts";
import { requireComplete } from "./schema-parts.ts";

/** Throws StoreOpenError. */
export function inspectSqlite(path: string): StoreFacts {
  try {
    requireWritable(path, existingFolderOf(path));
    requireOwnLog(path);
    // Before SQLite makes files of its own beside it, to look into it.
    const files = [path, logOf(path), logIndexOf(path), journalOf(path)].flatMap(fileAt);
    const schema = examineFile(path) === "store" ? examineVersion(path).version : undefined;
    if (schema !== undefined) requireComplete(path);
    return { engine: `SQLite ${sqliteVersion()}`, schema, newestSchema: newestVersion, files, folder: folderOf(path) };
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

function fileAt(path: string): StoredFile[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? [{ path, bytes: found.size, mode: found.mode & 0o777, changedAt: found.mtimeMs }] : [];
}

function folderOf(path: string): StoredFolder {
  const folder = existingFolderOf(path);
  const { bavail, bsize } = statfsSync(folder);
  return { path: folder, mode: statSync(folder).mode & 0o7777, freeBytes: bavail * bsize };
}

function sqliteVersion(): string {
  using database = new Database(":memory:");
  return database.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? "";
}
