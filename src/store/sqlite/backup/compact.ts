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
    using held = checkpointAndLock(path, "IMMEDIATE", "compact");
    if (!held) throw new StoreOpenError(`${path} is damaged. Run animal-store check.`);
    using undo = new DisposableStack();
    undo.defer(() =>
      ifPossible(() => {
        // A terminated copying thread keeps its lock until its current statement has finished, so this connection waits.
        held.database.run("PRAGMA busy_timeout = 30000");
        held.markAsUsed();
      }),
    );
    onSpaceMeasured(...requireFreeSpace(path, held.database));
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
  const used = `SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
  const needed = database.query<{ bytes: number }, []>(used).get()?.bytes ?? 0;
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  if (free >= needed) return [needed, free];
  throw new StoreOpenError(
    `${path} cannot be compacted: that takes up to ${needed} bytes in its folder, where ${free} are free. Free some space, then try again.`,
  );
}
