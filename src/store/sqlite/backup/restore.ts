import { Database } from "bun:sqlite";
import { existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreOpenError } from "../../store.ts";
import { isPassing, toFailure } from "../errors.ts";
import { examineFile, isUsed, requireWritable } from "../file/examine.ts";
import { explainOpenError } from "../file/explain.ts";
import { partialOf, removeLeftovers } from "../file/partial.ts";
import { journalOf, logIndexOf, logOf, sizeOf } from "../file/paths.ts";
import { copyToPartial, flush, giveToOwnerOf, putInPlace, removeIfPossible } from "../file/replace.ts";
import { nameBefore, secondNamesOf } from "../file/second-name.ts";
import { inThread } from "./in-thread.ts";
import type { FromRestoreWorker, ToRestoreWorker } from "./restore-worker.ts";

export interface RestoreDone {
  readonly animals: number;
  readonly bytes: number;
  /** Where the store is now that was there before, if there was one. */
  readonly keptAt: string | undefined;
}

/**
 * Puts a copy of a backup in the place of the store at a path, once it was read through. A store that is there is refused, or
 * with `replace` kept under another name. Throws StoreOpenError, and the reason of the signal, having changed nothing.
 */
export async function restoreFile(
  backup: string,
  path: string,
  { replace, now, signal }: { readonly replace: boolean; readonly now: Date; readonly signal: AbortSignal },
): Promise<RestoreDone> {
  requireBackup(backup, path);
  refuseExisting(path, replace);
  const partial = partialOf(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeLeftovers(path);
    await copyToPartial(backup, partial, signal);
    giveToOwnerOf(existsSync(path) ? path : dirname(path), partial);
    const animals = await makeStore(backup, partial, signal);
    signal.throwIfAborted();
    // Somebody may have made a store there meanwhile.
    refuseExisting(path, replace);
    const keptAt = isThere(path) ? nameFor(path, now) : undefined;
    const bytes = sizeOf(partial);
    if (keptAt === undefined) putInPlace(partial, path);
    else replaceStore(partial, path, keptAt);
    // Of a store whose file was lost, there was only the log.
    const isWhole = keptAt === undefined || existsSync(keptAt);
    return { animals, bytes, keptAt: isWhole ? keptAt : logOf(keptAt) };
  } catch (error) {
    signal.throwIfAborted();
    throw explainOpenError(path, error);
  } finally {
    const beside = [journalOf(partial), logOf(partial), logIndexOf(partial)];
    for (const file of [partial, ...beside]) removeIfPossible(file);
  }
}

/** What can be told before it is read through: that it is ours, whole by its length, and of a version that this program knows. */
function requireBackup(backup: string, path: string): void {
  try {
    if (examineFile(backup) === "nothing") {
      throw new StoreOpenError(
        `${resolve(backup)} ${existsSync(backup) ? "is empty" : "does not exist"}. Choose a backup.`,
      );
    }
    if (existsSync(path) && realpathSync(path) === realpathSync(backup)) {
      throw new StoreOpenError(`${backup} is the database itself. Choose a backup.`);
    }
    // A log is there for as long as the database is open, though it may be empty.
    if (existsSync(logOf(backup)) || sizeOf(journalOf(backup)) > 0) {
      throw new StoreOpenError(
        `${backup} is no backup but a database in use: a log is beside it. Make a backup of it with animal-store backup.`,
      );
    }
  } catch (error) {
    throw aboutBackup(backup, explainOpenError(backup, error).message);
  }
}

function refuseExisting(path: string, replace: boolean): void {
  if (replace || !isThere(path)) return;
  throw new StoreOpenError(
    `${path} already exists. Use --replace to put the backup in its place; it is then kept under another name.`,
  );
}

function isThere(path: string): boolean {
  return existsSync(path) || existsSync(logOf(path));
}

/** What is advised for a store that is damaged is what was tried just now, and another file has to be a backup. */
function aboutBackup(backup: string, message: string): StoreOpenError {
  const [, reason] = /is damaged \((.*)\)\. Restore /.exec(message) ?? [];
  if (reason !== undefined) return new StoreOpenError(`${backup} is damaged (${reason}). Choose another backup.`);
  return new StoreOpenError(
    message.replace(/ Choose (?:a file for the database|another file).*$/, " Choose a backup."),
  );
}

/** Returns how many animals there are. */
async function makeStore(backup: string, partial: string, signal: AbortSignal): Promise<number> {
  const worker = new Worker(new URL("./restore-worker.ts", import.meta.url).href);
  const order: ToRestoreWorker = { partial };
  return await inThread<FromRestoreWorker, number>(worker, order, signal, (reply, { resolve, reject }) => {
    if ("animals" in reply) resolve(reply.animals);
    else reject(aboutBackup(backup, reply.problem.replaceAll(partial, backup)));
  });
}

/** The name that the store has already if a restore was killed before it had replaced it. */
function nameFor(path: string, now: Date): string {
  const [begun] = secondNamesOf(path);
  if (begun !== undefined) return begun;
  const first = nameBefore(path, now);
  let name = first;
  for (let turn = 2; existsSync(name); turn++) name = `${first}-${turn}`;
  return name;
}

/** Puts a file in the place of the store, which is kept under another name. Throws StoreOpenError, having changed nothing. */
function replaceStore(partial: string, path: string, name: string): void {
  try {
    requireWritable(path);
    // Now, because it may take long, and there may be no store while it is given its place.
    flush(partial);
    exchange(partial, path, name);
  } catch (error) {
    const { message } = explainOpenError(path, error);
    throw new StoreOpenError(message.replace(" cannot be opened for writing: ", " cannot be replaced: "));
  }
}

/** As long as the store is held, no other program can open it, so that none can begin to use what is about to be replaced. */
function exchange(partial: string, path: string, name: string): void {
  using held = existsSync(path) && sizeOf(path) > 0 ? foldAndHold(path, "EXCLUSIVE", "restore") : undefined;
  using undo = new DisposableStack();
  undo.defer(() => {
    // It may take the room that is needed.
    removeIfPossible(partial);
    ifPossible(() => held?.markAsUsed());
  });
  putAside(path, name, undo);
  putInPlace(partial, path);
  undo.move();
}

function putAside(path: string, name: string, undo: DisposableStack): void {
  // It comes first, because by it the next start tells that a log was moved.
  if (existsSync(path) && !existsSync(name)) {
    giveName(path, name);
    undo.defer(() => ifPossible(() => takeBack(path, name)));
  }
  // What is left of a log belongs to that file alone: SQLite would take it for the log of the restored one.
  for (const [old, aside] of [
    [logOf(path), logOf(name)],
    [journalOf(path), journalOf(name)],
  ] as const) {
    if (!existsSync(old)) continue;
    renameSync(old, aside);
    undo.defer(() => ifPossible(() => renameSync(aside, old)));
  }
  rmSync(logIndexOf(path), { force: true });
}

/** Where a file cannot have two names, it has only the new one from now on. */
function giveName(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    renameSync(path, name);
  }
}

/** If both are names of one file, the system leaves both. */
function takeBack(path: string, name: string): void {
  renameSync(name, path);
  rmSync(name, { force: true });
}

interface HeldStore extends Disposable {
  readonly database: Database;
  /** Has it say again that it is a store, which no backup may replace. */
  markAsUsed(): void;
}

/**
 * Has SQLite checkpoint the WAL into the file and remove it, and keeps a lock: EXCLUSIVE against all programs, IMMEDIATE against those
 * that write. A damaged file is left as it is, with its WAL. Throws StoreOpenError if another program uses the file.
 */
export function foldAndHold(path: string, lock: "EXCLUSIVE" | "IMMEDIATE", task: string): HeldStore | undefined {
  const wasUsed = isUsed(path);
  const database = new Database(path, { readwrite: true, strict: true });
  const markAsUsed = () => {
    if (!wasUsed) return;
    if (database.inTransaction) database.run("ROLLBACK");
    database.run("PRAGMA journal_mode = WAL");
  };
  try {
    database.run("PRAGMA busy_timeout = 1000");
    // SQLite can do that only while no other connection is open, however idle.
    database.run("PRAGMA journal_mode = DELETE");
    database.run(`BEGIN ${lock}`);
    return { database, markAsUsed, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    const failure = toFailure(error);
    const isInUse = failure.code.startsWith("SQLITE_BUSY");
    // The other may have come in between.
    if (isInUse) ifPossible(markAsUsed);
    database.close();
    if (isInUse) {
      throw new StoreOpenError(`${path} is in use by another program. Stop the service first, then ${task}.`);
    }
    if (isPassing(failure) || failure.code === "SQLITE_FULL") throw error;
    return undefined;
  }
}

/** For what undoes something: what has gone wrong before is to be told of, not this. */
export function ifPossible(step: () => void): void {
  try {
    step();
  } catch {}
}
