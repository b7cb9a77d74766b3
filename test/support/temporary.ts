import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Its name tells which process it belongs to, so that it can be cleared away if that is killed. Whoever makes it removes it. */
export function makeTemporaryFolder(kind: string): string {
  return mkdtempSync(join(tmpdir(), `${prefix}${kind}-${process.pid}-`));
}

/** A folder that is there for as long as its block. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = makeTemporaryFolder("test");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes what processes that are gone have left behind, because nobody let them tidy up. */
export function clearTemporaryFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = ofProcess.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It is another user's, who may remove it.
    }
  }
}

const prefix = "animal-store-";
const ofProcess = /^animal-store-[a-z]+-(\d+)-\w+(?:\.xml)?$/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
