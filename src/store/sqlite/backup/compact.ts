import { Database } from "bun:sqlite";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import {
  commitPartial,
  copyOwner,
  createPrivateFile,
  ifPossible,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
} from "../../../base/files.ts";
import { StoreOpenError } from "../../store.ts";
import { sizeOf } from "../file/database-files.ts";
import { explainOpenError, requireStore } from "../file/examine.ts";
import { type BackupOptions, copyInThread } from "./backup.ts";
import { checkpointAndLock } from "./restore.ts";

/** Replaces a store, under a lock, with a copy without free pages. Returns its sizes before and after. Throws like `backUpFile`. */
export async function compactFile(
  path: string,
  options: BackupOptions,
  onSpaceMeasured: (neededBytes: number, freeBytes: number) => void,
): Promise<[number, number]> {
  requireStore(path);
  const partial = newPartialPath(path);
  try {
    removeLeftovers(path);
    using lock = checkpointAndLock(path, "IMMEDIATE", "compact");
    if (!lock) throw new StoreOpenError(`${path} is damaged. Run animal-store check.`);
    using undo = new DisposableStack();
    undo.defer(() =>
      ifPossible(() => {
        // A terminated copying thread keeps its lock until its current statement has finished, so this connection waits.
        lock.database.run("PRAGMA busy_timeout = 30000");
        lock.markAsUsed();
      }),
    );
    onSpaceMeasured(...requireFreeSpace(path, lock.database));
    createPrivateFile(partial);
    await copyInThread(path, partial, options);
    copyOwner(path, partial);
    {
      using copy = new Database(partial);
      copy.run("PRAGMA journal_mode = WAL");
    }
    const sizes: [number, number] = [sizeOf(path), sizeOf(partial)];
    commitPartial(partial, path);
    undo.move();
    return sizes;
  } catch (error) {
    options.signal.throwIfAborted();
    throw explainOpenError(path, error);
  } finally {
    removeIfPossible(partial);
  }
}

function requireFreeSpace(path: string, database: Database): [neededBytes: number, freeBytes: number] {
  const usedBytesQuery = `SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
  const neededBytes = database.query<{ bytes: number }, []>(usedBytesQuery).get()?.bytes ?? 0;
  const { bavail, bsize } = statfsSync(dirname(path));
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return [neededBytes, freeBytes];
  throw new StoreOpenError(
    `${path} cannot be compacted: that takes up to ${neededBytes} bytes in its folder, where ${freeBytes} are free. Free some space, then try again.`,
  );
}
