import { Database } from "bun:sqlite";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  commitPartial,
  copyOwner,
  createPrivateFile,
  flush,
  ifPossible,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
} from "../../../base/files.ts";
import { StoreOpenError } from "../../store.ts";
import { isTransient, ReportedFailure, toFailure } from "../errors.ts";
import { filesOf, journalOf, sizeOf, walIndexOf, walOf } from "../file/database-files.ts";
import { examineFile, explainOpenError, requireWritable, storeNotFound, wasUsedAsStore } from "../file/examine.ts";
import { runInThread } from "./file-thread.ts";

/**
 * Puts a copy of a backup in the place of the store at a path, after checking the copy. An existing store is refused, or with `shouldReplace`
 * kept under another name. Throws StoreOpenError or, if aborted, the signal's reason; the store is then unchanged.
 */
export async function restoreFile(
  backup: string,
  path: string,
  { shouldReplace, now, signal }: { readonly shouldReplace: boolean; readonly now: Date; readonly signal: AbortSignal },
): Promise<{ readonly animals: number; readonly bytes: number; readonly keptAt: string | undefined }> {
  requireBackup(backup, path);
  requireReplaceable(path, shouldReplace);
  const partial = newPartialPath(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeLeftovers(path);
    createPrivateFile(partial);
    const original = createReadStream(backup, { highWaterMark: 1024 * 1024 });
    await pipeline(original, createWriteStream(partial, { flags: "r+" }), { signal });
    copyOwner(existsSync(path) ? path : dirname(path), partial);
    const animals = await convertToStore(backup, partial, signal);
    signal.throwIfAborted();
    // Another process may have created a store at this path meanwhile.
    requireReplaceable(path, shouldReplace);
    const keptAt = storeExists(path) ? findUnusedName(path, now) : undefined;
    const bytes = sizeOf(partial);
    if (keptAt === undefined) commitPartial(partial, path);
    else replaceStore(partial, path, keptAt);
    // If the file of the store was lost, its WAL alone is kept.
    return { animals, bytes, keptAt: keptAt === undefined || existsSync(keptAt) ? keptAt : walOf(keptAt) };
  } catch (error) {
    signal.throwIfAborted();
    const { message } = explainOpenError(path, error);
    throw new StoreOpenError(
      storeExists(path) ? message.replace(" cannot be opened for writing: ", " cannot be replaced: ") : message,
    );
  } finally {
    filesOf(partial).forEach(removeIfPossible);
  }
}

/** Throws StoreOpenError for a file that is no backup, without reading the whole file. */
function requireBackup(backup: string, path: string): void {
  try {
    if (!examineFile(backup)) throw storeNotFound(backup);
    if (existsSync(path) && realpathSync(path) === realpathSync(backup)) {
      throw new StoreOpenError(`${backup} is the database itself. Choose a backup.`);
    }
    // An open database has a WAL, which may be empty.
    if (existsSync(walOf(backup)) || sizeOf(journalOf(backup)) > 0) {
      throw new StoreOpenError(
        `${backup} is no backup but a database in use: a log is beside it. Make a backup of it with animal-store backup.`,
      );
    }
  } catch (error) {
    throw toBackupError(explainOpenError(backup, error).message);
  }
}

function requireReplaceable(path: string, shouldReplace: boolean): void {
  if (shouldReplace || !storeExists(path)) return;
  throw new StoreOpenError(
    `${path} already exists. Use --replace to put the backup in its place; it is then kept under another name.`,
  );
}

function storeExists(path: string): boolean {
  return existsSync(path) || existsSync(walOf(path));
}

/** Turns a message about a store into an error about a backup, with suitable advice. */
function toBackupError(message: string): StoreOpenError {
  return new StoreOpenError(
    message
      .replace(/ Restore a backup with .*$/, " Choose another backup.")
      .replace(
        / (?:Choose a file for the database|Choose another file|Name an existing store).*$/,
        " Choose a backup.",
      ),
  );
}

/** Turns the copy of a backup into a store. Returns the number of animals. */
async function convertToStore(backup: string, partial: string, signal: AbortSignal): Promise<number> {
  try {
    return await runInThread({ backupCopy: partial }, signal);
  } catch (error) {
    if (!(error instanceof ReportedFailure)) throw error;
    throw toBackupError(error.message.replaceAll(partial, backup));
  }
}

function findUnusedName(path: string, now: Date): string {
  const first = `${path}.before-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`;
  let name = first;
  for (let number = 2; existsSync(name); number++) name = `${first}-${number}`;
  return name;
}

/** Renames the store to `name` and the partial file to `path`, under a lock, so that no other program opens the store meanwhile. */
function replaceStore(partial: string, path: string, name: string): void {
  requireWritable(path);
  // Flushes before the names change, because flushing may take long, and the store may be missing while the names change.
  flush(partial);
  using lock = sizeOf(path) > 0 ? checkpointAndLock(path, "EXCLUSIVE", "restore") : undefined;
  using undo = new DisposableStack();
  undo.defer(() => {
    // Removes the copy first, because `markAsUsed` may need the space.
    removeIfPossible(partial);
    ifPossible(() => lock?.markAsUsed());
  });
  // An undamaged store is one file now. That file gets a second name, so a kill before the replacement leaves the store in place.
  if (existsSync(path)) {
    addName(path, name);
    undo.defer(() => ifPossible(() => removeName(path, name)));
  }
  // SQLite would apply a remaining WAL or journal to the restored file.
  for (const fileOf of [walOf, journalOf]) {
    if (!existsSync(fileOf(path))) continue;
    renameSync(fileOf(path), fileOf(name));
    undo.defer(() => ifPossible(() => renameSync(fileOf(name), fileOf(path))));
  }
  rmSync(walIndexOf(path), { force: true });
  commitPartial(partial, path);
  undo.move();
}

function addName(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    renameSync(path, name);
  }
}

/** Undoes `addName`. A rename between two hard links of one file keeps both, so the second link is removed afterwards. */
function removeName(path: string, name: string): void {
  renameSync(name, path);
  rmSync(name, { force: true });
}

/** Checkpoints and removes the WAL, and holds a lock. Returns undefined for a damaged file. Throws StoreOpenError for a file in use. */
export function checkpointAndLock(path: string, lock: "EXCLUSIVE" | "IMMEDIATE", task: string) {
  const wasUsed = wasUsedAsStore(path);
  const database = new Database(path, { readwrite: true, strict: true });
  // The mode marks the file as a store again, so that no backup replaces it.
  const markAsUsed = () => {
    if (!wasUsed) return;
    if (database.inTransaction) database.run("ROLLBACK");
    database.run("PRAGMA journal_mode = WAL");
  };
  try {
    database.run("PRAGMA busy_timeout = 1000");
    // SQLite refuses to leave WAL mode while any other connection is open, even an idle one.
    database.run("PRAGMA journal_mode = DELETE");
    database.run(`BEGIN ${lock}`);
    return { database, markAsUsed, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    const failure = toFailure(error);
    const isInUse = failure.code.startsWith("SQLITE_BUSY");
    // Another program may have opened the file between the two statements.
    if (isInUse) ifPossible(markAsUsed);
    database.close();
    if (isInUse) {
      throw new StoreOpenError(`${path} is in use by another program. Stop the service first, then ${task}.`);
    }
    if (isTransient(failure) || failure.code === "SQLITE_FULL") throw error;
    return undefined;
  }
}
