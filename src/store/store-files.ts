/** File operations of the program's commands. Only SQLite stores are files; PostgreSQL has tools of its own. */
export { type BackupOptions, type BackupResult, backUpFile, requireFolder } from "./sqlite/backup/backup.ts";
export { compactFile } from "./sqlite/backup/compact.ts";
export { restoreFile } from "./sqlite/backup/restore.ts";
export { belongsToDatabase } from "./sqlite/file/database-files.ts";
export { requireStore, wasUsedAsStore as isUsed } from "./sqlite/file/examine.ts";
