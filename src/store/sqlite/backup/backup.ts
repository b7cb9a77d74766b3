import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileBehindLinks } from "../../../base/database-address.ts";
import { StoreOpenError } from "../../store.ts";
import { looksDamaged, ReportedFailure, toFailure } from "../errors.ts";
import { examineFile, isUsed, noStore } from "../file/examine.ts";
import { explainOpenError } from "../file/explain.ts";
import { partialOf, removeLeftovers } from "../file/partial.ts";
import { journalOf, logIndexOf, logOf, sizeOf } from "../file/paths.ts";
import { createPartial, putBeside, putInPlace, removeIfPossible } from "../file/replace.ts";
import type { Counts, FromBackupWorker, ToBackupWorker } from "./backup-worker.ts";
import { inThread } from "./in-thread.ts";

export interface BackupDone {
  /** Where it is, behind all links. */
  readonly file: string;
  readonly animals: number;
  readonly bytes: number;
}

export interface BackupOptions {
  /** Ends it; what was written is removed. */
  readonly signal: AbortSignal;
  /** Whether a file that has the name already stays, so that the backup gets another one. */
  readonly keepsOthers?: boolean;
  onProgress(doneBytes: number, totalBytes: number): void;
}

/**
 * Copies the store in a file, as it is at one moment, into another file, while a service may be writing to it. The copy is
 * read through and compared before it gets its name. Throws StoreOpenError, and the reason of the signal.
 */
export async function backUpFile(path: string, name: string, options: BackupOptions): Promise<BackupDone> {
  requireStore(path);
  const file = fileBehindLinks(name);
  if (!options.keepsOthers) explained(file, () => refuseTarget(path, file));
  const partial = partialOf(file);
  try {
    removeLeftovers(file);
    createPartial(partial);
    const { pets = 0 } = await copyInWorker({ source: path, target: partial }, options);
    const bytes = sizeOf(partial);
    if (options.keepsOthers) return { file: putBeside(partial, file), animals: pets, bytes };
    // Somebody may have made a store there meanwhile.
    refuseTarget(path, file);
    putInPlace(partial, file);
    return { file, animals: pets, bytes };
  } catch (error) {
    options.signal.throwIfAborted();
    throw explainBackupError(path, file, error);
  } finally {
    removeIfPossible(partial);
  }
}

/** Throws StoreOpenError. */
export function requireStore(path: string): void {
  explained(path, () => {
    if (examineFile(path) === "nothing") throw noStore(path);
  });
}

/** Throws StoreOpenError. */
export function requireFolder(folder: string): void {
  explained(folder, () => {
    if (isFolder(folder)) return;
    throw new StoreOpenError(
      `${resolve(outermostMissing(folder))} is not a folder. Create it first, or choose another.`,
    );
  });
}

/** What is missing of `missing/..` is not the folder that this would be. */
function outermostMissing(folder: string): string {
  return isFolder(dirname(folder)) ? folder : outermostMissing(dirname(folder));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function explained(path: string, look: () => void): void {
  try {
    look();
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

/** A file of another kind, or one that is a store itself, is nobody's old backup. */
function refuseTarget(path: string, file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  const target = canonical(file);
  if ([path, logOf(path), logIndexOf(path), journalOf(path)].some((own) => canonical(own) === target)) {
    throw new StoreOpenError(`${file} belongs to the database itself. Choose another file for the backup.`);
  }
  if (there?.isDirectory()) {
    throw new StoreOpenError(`${file} is a folder. Choose a file in it, or use --every to make backups there.`);
  }
  if (there && !there.isFile()) {
    throw new StoreOpenError(`${file} is not a file. Choose a file for the backup.`);
  }
  requireFolder(dirname(file));
  if (existsSync(logOf(file))) {
    throw new StoreOpenError(`${file} is in use: ${logOf(file)} is beside it. Choose another file for the backup.`);
  }
  if (!there || there.size === 0) return;
  examineFile(file);
  if (isUsed(file)) {
    throw new StoreOpenError(
      `${file} is a store, not a backup. Choose another file for the backup; to replace the store by a backup, use animal-store restore.`,
    );
  }
}

/** Also of a file that is not there yet. */
function canonical(path: string): string {
  const folder = dirname(resolve(path));
  if (existsSync(path)) return realpathSync(path);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

/** Copies a store to an empty file, and compares the two. Throws what SQLite says of either, and the reason of the signal. */
export async function copyInWorker(order: ToBackupWorker, { signal, onProgress }: BackupOptions): Promise<Counts> {
  const worker = new Worker(new URL("./backup-worker.ts", import.meta.url).href);
  let totalBytes = 0;
  const timer = setInterval(() => {
    // The last of it is shown only once the copy was checked.
    if (totalBytes > 0) onProgress(Math.min(sizeOf(order.target), totalBytes - 1), totalBytes);
  }, progressEveryMs);
  try {
    const counts = await inThread<FromBackupWorker, Counts>(worker, order, signal, (reply, { resolve, reject }) => {
      if ("counts" in reply) resolve(reply.counts);
      else if ("failure" in reply) reject(new ReportedFailure(reply.failure));
      else totalBytes = reply.totalBytes;
    });
    onProgress(totalBytes, totalBytes);
    return counts;
  } finally {
    clearInterval(timer);
  }
}

const progressEveryMs = 100;

/** What is damaged or locked is the store; whatever else goes wrong is about the copy. */
function explainBackupError(path: string, file: string, error: unknown): StoreOpenError {
  const failure = toFailure(error);
  if (failure.code === "UNKNOWN" && error instanceof ReportedFailure) {
    return new StoreOpenError(`The backup could not be made: ${failure.message.replace(/^Error: /, "")}.`);
  }
  const isOfStore = looksDamaged(failure) || failure.code.startsWith("SQLITE_BUSY");
  const { message } = explainOpenError(isOfStore ? path : file, error);
  return new StoreOpenError(message.replace(/, then start again\.$/, ", then try again."));
}
