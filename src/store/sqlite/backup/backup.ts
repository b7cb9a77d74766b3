import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  commitPartial,
  commitPartialUnderFreeName,
  createPrivateFile,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
  resolveLinks,
} from "../../../base/files.ts";
import { StoreOpenError } from "../../store.ts";
import { looksDamaged, ReportedFailure, toFailure } from "../errors.ts";
import { filesOf, sizeOf, walOf } from "../file/database-files.ts";
import { examineFile, explainOpenError, requireStore, wasUsedAsStore, withExplainedErrors } from "../file/examine.ts";
import { runInThread } from "./file-thread.ts";

export interface BackupResult {
  readonly file: string;
  readonly animals: number;
  readonly bytes: number;
}

export interface BackupOptions {
  readonly signal: AbortSignal;
  /** True to choose another name if the file exists. */
  readonly keepsExisting?: boolean;
  onProgress(doneBytes: number, totalBytes: number): void;
}

/**
 * Copies a snapshot of a store, while a service may be writing to it. The copy is read back and verified before it gets its name.
 * Throws StoreOpenError or, if aborted, the signal's reason.
 */
export async function backUpFile(path: string, name: string, options: BackupOptions): Promise<BackupResult> {
  requireStore(path);
  const file = resolveLinks(name);
  if (!options.keepsExisting) withExplainedErrors(file, () => requireUsableTarget(path, file));
  const partial = newPartialPath(file);
  try {
    removeLeftovers(file);
    createPrivateFile(partial);
    const animals = await copyInThread(path, partial, options);
    const bytes = sizeOf(partial);
    if (options.keepsExisting) return { file: commitPartialUnderFreeName(partial, file), animals, bytes };
    // Another process may have created a store at this path meanwhile.
    requireUsableTarget(path, file);
    commitPartial(partial, file);
    return { file, animals, bytes };
  } catch (error) {
    options.signal.throwIfAborted();
    throw explainBackupError(path, file, error);
  } finally {
    removeIfPossible(partial);
  }
}

export function requireFolder(folder: string): void {
  withExplainedErrors(folder, () => {
    if (isFolder(folder)) return;
    // Names the first missing part of the path, because `missing/..` itself would resolve to an existing folder.
    let missing = folder;
    while (!isFolder(dirname(missing))) missing = dirname(missing);
    throw new StoreOpenError(`${resolve(missing)} is not a folder. Create it first, or choose another.`);
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Throws StoreOpenError unless the file is missing, empty or an earlier backup. */
function requireUsableTarget(path: string, file: string): void {
  requireFolder(dirname(file));
  const target = statSync(file, { throwIfNoEntry: false });
  if (filesOf(path).some((own) => toCanonicalPath(own) === toCanonicalPath(file))) {
    throw new StoreOpenError(`${file} belongs to the database itself. Choose another file for the backup.`);
  }
  if (target?.isDirectory()) {
    throw new StoreOpenError(`${file} is a folder. Choose a file in it, or use --every to make backups there.`);
  }
  if (target && !target.isFile()) {
    throw new StoreOpenError(`${file} is not a file. Choose a file for the backup.`);
  }
  if (existsSync(walOf(file))) {
    throw new StoreOpenError(`${file} is in use: ${walOf(file)} is beside it. Choose another file for the backup.`);
  }
  if (!target || target.size === 0) return;
  examineFile(file);
  if (wasUsedAsStore(file)) {
    throw new StoreOpenError(
      `${file} is a store, not a backup. Choose another file for the backup; to replace the store by a backup, use animal-store restore.`,
    );
  }
}

/** Resolves all symbolic links, also of a missing file in an existing folder. */
function toCanonicalPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

export async function copyInThread(
  source: string,
  target: string,
  { signal, onProgress }: BackupOptions,
): Promise<number> {
  let totalBytes = 0;
  const timer = setInterval(() => {
    // 100 % is reported only after the copy was checked.
    if (totalBytes > 0) onProgress(Math.min(sizeOf(target), totalBytes - 1), totalBytes);
  }, progressIntervalMs);
  try {
    const animals = await runInThread({ source, target }, signal, (bytes) => {
      totalBytes = bytes;
    });
    onProgress(totalBytes, totalBytes);
    return animals;
  } finally {
    clearInterval(timer);
  }
}

const progressIntervalMs = 100;

/** Attributes damage and locks to the store, and all other failures to the backup. */
function explainBackupError(path: string, file: string, error: unknown): StoreOpenError {
  const failure = toFailure(error);
  if (failure.code === "UNKNOWN" && error instanceof ReportedFailure) {
    return new StoreOpenError(`The backup could not be made: ${failure.message}.`);
  }
  const isOfStore = looksDamaged(failure) || failure.code.startsWith("SQLITE_BUSY");
  const { message } = explainOpenError(isOfStore ? path : file, error);
  return new StoreOpenError(message.replace(/, then start again\.$/, ", then try again."));
}
