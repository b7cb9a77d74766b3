import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder, which the caller removes. Its name contains the process id, so that the folders of killed processes can be removed. */
export function makeTemporaryFolder(kind: string, parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${prefix}${kind}-${process.pid}-`));
}

/** Returns a parent for folders in memory, if there is plenty. */
export function roomInMemory(): string | undefined {
  if (!existsSync(inMemory)) return undefined;
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, freemem()) >= plentyBytes ? inMemory : undefined;
}

/** Creates a folder that is removed at the end of the block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = makeTemporaryFolder("test");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes the folders of killed processes. */
export function clearTemporaryFolders(): void {
  for (const parent of [tmpdir(), inMemory].filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const [, pid] = ofProcess.exec(name) ?? [];
      if (pid === undefined || isRunning(Number(pid))) continue;
      try {
        rmSync(join(parent, name), { recursive: true, force: true });
      } catch {
        // The folder belongs to another user.
      }
    }
  }
}

const inMemory = "/dev/shm";
const plentyBytes = 4 * 2 ** 30;

const prefix = "animal-store-";
const ofProcess = /^animal-store-[a-z]+-(\d+)-\w+(?:\.xml)?$/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
