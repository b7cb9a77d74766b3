import type { Database } from "bun:sqlite";
import type { Store } from "../store.ts";
import { connectReader, connectWriter } from "./connect.ts";
import { isPassing, toFailure, toReadError } from "./errors.ts";
import { examineFile, examineVersion, explainOpenError, fileIsGone, inodeOf } from "./file.ts";
import { KeyReader } from "./keys.ts";
import { migrate, newestVersion, pendingMigrations, schemaVersion } from "./migrate.ts";
import { PetReader } from "./pets.ts";
import { TransferReader } from "./transfer.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the database, creating or migrating it first. `onDeath` is called when it can no longer be
 * written to, which nothing but a new start can mend. Throws StoreOpenError.
 */
export function openSqliteStore(path: string, onDeath: (reason: string) => void): Store {
  const { reader, pets, keys, transfer } = openReader(path);
  const writer = new Writer(path, onDeath);
  const inode = inodeOf(path);
  return {
    pets: {
      list: (filter, page) => reading(() => pets.list(filter, page)),
      get: (id) => reading(() => pets.get(id)),
      create: (pet) => writer.write("createPet", pet),
    },
    keys: {
      list: () => reading(() => keys.list()),
      find: (hash) => reading(() => keys.find(hash)),
      create: (key, hash) => writer.write("createKey", { key, hash }),
      createFirst: (key, hash) => writer.write("createFirstKey", { key, hash }),
      rotate: (id, retiresAt, key, hash) => writer.write("rotateKey", { id, retiresAt, key, hash }),
      revoke: (id, at) => writer.write("revokeKey", { id, at }),
      recordUse: (uses) => writer.write("recordKeyUse", uses),
    },
    transfer: {
      countPets: () => reading(() => transfer.countPets()),
      readKeys: () => reading(() => transfer.readKeys()),
      lastIds: () => reading(() => transfer.lastIds()),
      writePets: (batch) => writer.write("writePets", batch),
      writeKeys: (batch) => writer.write("writeKeys", batch),
      reserveIds: (last) => writer.write("reserveIds", last),
    },
    ready: () => reading(() => probe(reader, path, inode)),
    async close() {
      // The writer goes last, because only it may fold the log into the file.
      reader.close(true);
      await writer.close();
    },
  };
}

/** What opening the file would do to its schema, by name. Throws StoreOpenError. */
export function planSqliteMigration(path: string): string[] {
  try {
    return pendingMigrations(examineVersion(path));
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

/** Several programs may create or migrate a file at once: SQLite lets one of them, and the others try again. */
function openReader(path: string) {
  const end = performance.now() + longestLock;
  for (;;) {
    try {
      examineFile(path);
      prepareFile(path);
      const reader = connectReader(path);
      return { reader, pets: new PetReader(reader), keys: new KeyReader(reader), transfer: new TransferReader(reader) };
    } catch (error) {
      if (!isPassing(toFailure(error)) || performance.now() > end) throw explainOpenError(path, error);
    }
    Bun.sleepSync(20);
  }
}

const longestLock = 5_000;

function prepareFile(path: string): void {
  const database = connectWriter(path);
  try {
    if (schemaVersion(database) < newestVersion) migrate(database);
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close(true);
  }
}

function reading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw toReadError(toFailure(error));
  }
}

function probe(reader: Database, path: string, inode: number): void {
  reader.query("SELECT 1 FROM pets LIMIT 1").get();
  if (inodeOf(path) !== inode) throw new Error(fileIsGone);
}
