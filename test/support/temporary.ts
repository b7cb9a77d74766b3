import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Its name tells which process it belongs to, so that it can be cleared away if that is killed. Whoever makes it removes it. */
export function makeTemporaryFolder(kind: string, parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${prefix}${kind}-${process.pid}-`));
}

/** A parent for folders with many files in memory, where they cost the least, if there is plenty of it. */
export function roomInMemory(): string | undefined {
  if (!existsSync(inMemory)) return undefined;
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, freemem()) >= plentyBytes ? inMemory : undefined;
}

/** A folder that is there for as long as its block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = makeTemporaryFolder("test");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes what processes that are gone have left behind, because nobody let them tidy up. */
export function clearTemporaryFolders(): void {
  for (const parent of [tmpdir(), inMemory].filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const [, pid] = ofProcess.exec(name) ?? [];
      if (pid === undefined || isRunning(Number(pid))) continue;
      try {
        rmSync(join(parent, name), { recursive: true, force: true });
      } catch {
        // It is another user's, who may remove it.
      }
    }
  }
}

/** Of Linux. */
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
