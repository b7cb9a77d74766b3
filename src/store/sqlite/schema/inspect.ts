import { Database } from "bun:sqlite";
import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { StoreFacts } from "../../inspection.ts";
import { filesOf } from "../file/database-files.ts";
import { examineFile, examineVersion, requireWritable, withExplainedErrors } from "../file/examine.ts";
import { newestVersion } from "./migrate.ts";
import { requireComplete } from "./schema-parts.ts";

export function inspectSqlite(path: string): StoreFacts {
  return withExplainedErrors(path, () => {
    const folder = findExistingFolder(path);
    requireWritable(path, folder);
    // The files are listed before SQLite creates more of them beside the database.
    const files = filesOf(path).flatMap((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats ? [{ path: file, bytes: stats.size, mode: stats.mode & 0o777, changedAt: stats.mtimeMs }] : [];
    });
    const schema = examineFile(path) ? examineVersion(path).version : undefined;
    if (schema !== undefined) requireComplete(path);
    const { bavail, bsize } = statfsSync(folder);
    const folderFacts = { path: folder, mode: statSync(folder).mode & 0o7777, freeBytes: bavail * bsize };
    return { engine: `SQLite ${readSqliteVersion()}`, schema, newestSchema: newestVersion, files, folder: folderFacts };
  });
}

function findExistingFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

function readSqliteVersion(): string {
  using database = new Database(":memory:");
  return database.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? "";
}
