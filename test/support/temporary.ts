import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder that the caller removes. `removeOrphanedFolders` finds folders of killed processes by the process id in the name. */
export function makeTemporaryFolder(kind: string, parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${folderPrefix}${kind}-${process.pid}-`));
}

/** Returns a folder whose files are in memory; undefined if there is no such folder or too little free memory. */
export function findMemoryFolder(): string | undefined {
  if (!existsSync(memoryFolder)) return undefined;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return Math.min(bavail * bsize, freemem()) >= minFreeBytes ? memoryFolder : undefined;
}

/** Creates a folder that is removed at the end of the block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = makeTemporaryFolder("test");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function removeOrphanedFolders(): void {
  for (const parent of [tmpdir(), memoryFolder].filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const [, pid] = nameWithPidPattern.exec(name) ?? [];
      if (pid === undefined || isRunning(Number(pid))) continue;
      try {
        rmSync(join(parent, name), { recursive: true, force: true });
      } catch {
        // The folder belongs to another user.
      }
    }
  }
}

const memoryFolder = "/dev/shm";
const minFreeBytes = 4 * 2 ** 30;

const folderPrefix = "animal-store-";
const nameWithPidPattern = /^animal-store-[a-z]+-(\d+)-\w+(?:\.xml)?$/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
