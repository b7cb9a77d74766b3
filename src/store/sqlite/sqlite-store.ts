import type { Database } from "bun:sqlite";
import type { Store } from "../store.ts";
import { connectReader, connectWriter } from "./connect.ts";
import { toFailure, toServiceError } from "./errors.ts";
import { examineFile, explainOpenError } from "./file.ts";
import { KeyReader } from "./keys.ts";
import { migrate } from "./migrate.ts";
import { PetReader } from "./pets.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the database, creating or migrating it first. `onDeath` is called when it can no longer be
 * written to, which nothing but a new start can mend. Throws StoreOpenError.
 */
export function openSqliteStore(path: string, onDeath: (reason: string) => void): Store {
  prepareFile(path);
  const reader = connectReader(path);
  const writer = new Writer(path, onDeath);
  const pets = new PetReader(reader);
  const keys = new KeyReader(reader);
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
    ready: () => reading(() => probe(reader)),
    async close() {
      // The writer goes last, because only it may fold the log into the file.
      reader.close(true);
      await writer.close();
    },
  };
}

function prepareFile(path: string): void {
  let database: Database | undefined;
  try {
    examineFile(path);
    database = connectWriter(path);
    migrate(database);
    database.run("PRAGMA journal_mode = WAL");
  } catch (error) {
    throw explainOpenError(path, error);
  } finally {
    database?.close(true);
  }
}

function reading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw toServiceError(toFailure(error));
  }
}

function probe(reader: Database): void {
  reader.query("SELECT 1 FROM pets LIMIT 1").get();
}
