import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, parse, resolve } from "node:path";

// A file is written under a partial name in its folder, and renamed once it is complete: a crash leaves the old file or the new one.

/** On Linux, the name identifies the process, so that leftovers are recognised. */
export function newPartialPath(path: string): string {
  const writer = pidScope === undefined ? "" : `${pidScope}-${process.pid}-`;
  return `${path}.partial-${writer}${randomBytes(4).toString("hex")}`;
}

/** Removes the partial files that killed processes have left for a path. */
export function removeLeftovers(path: string): void {
  const prefix = `${basename(path)}.partial-`;
  for (const name of ifPossible(() => readdirSync(dirname(path))) ?? []) {
    const file = join(dirname(path), name);
    if (name.startsWith(prefix) && isLeftover(file)) removeIfPossible(file);
  }
}

/** True if the process that wrote a partial file has ended. A process of another container cannot be checked, so there a day counts. */
export function isLeftover(file: string): boolean {
  const match = partialPattern.exec(file);
  const stats = ifPossible(() => lstatSync(file));
  if (!match || !stats?.isFile()) return false;
  const [, scope, pid] = match;
  if (scope === undefined || scope !== pidScope) return Date.now() - stats.mtimeMs > abandonedAfterMs;
  // In a container, each run may have the same process id.
  return Number(pid) === process.pid ? stats.mtimeMs < performance.timeOrigin : !isRunning(Number(pid));
}

/** Without a process id, a letter is required, because eight digits may be a date in a user's file name. Version 1.0 added another number. */
const partialPattern = /\.partial-(?:([0-9a-f]{8})-(\d+)-(?:\d+-)?|(?=\d*[a-f]))[0-9a-f]{8}(?:-wal|-shm|-journal)?$/;
export const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Identifies the PID namespace and the boot, within which process ids are comparable. Copies of a running machine differ by host name. */
const pidScope = ifPossible(() => {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  const scope = [boot, hostname(), readlinkSync("/proc/self/ns/pid")].join(" ");
  return createHash("sha256").update(scope).digest("hex").slice(0, 8);
});

function isRunning(pid: number): boolean {
  const status = ifPossible(() => readFileSync(`/proc/${pid}/stat`, "latin1")) ?? "";
  // A killed process is a zombie until its parent has read the exit code.
  if (/\) [ZX] [^)]*$/.test(status)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM shows that another user's process exists.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Creates or, with suitable `flags`, opens a file that only its owner can use, whatever the umask is. */
export function createPrivateFile(path: string, flags: string | number = "wx"): void {
  const ownerOnly = 0o600;
  const file = openSync(path, flags, ownerOnly);
  fchmodSync(file, ownerOnly);
  closeSync(file);
}

/** As root, gives a file to the owner of `source`. Spares the target of a link, because that file may belong to another user. */
export function copyOwner(source: string, path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(source);
  withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, (file) => {
    if (fstatSync(file).nlink === 1) fchownSync(file, uid, gid);
  });
}

export function commitPartial(partial: string, path: string): void {
  flush(partial);
  // The folder is opened first, so that a failure to open it changes nothing.
  withFile(dirname(path), "r", (folder) => {
    renameSync(partial, path);
    fsyncSync(folder);
  });
}

/** Renames a partial file durably. Adds a number to the name if another file has the name. Returns the name. */
export function commitPartialUnderFreeName(partial: string, path: string): string {
  const { dir, name, ext } = parse(path);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    try {
      // Reserves the name: only one of several processes succeeds.
      createPrivateFile(candidate);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw error;
    }
    try {
      commitPartial(partial, candidate);
      return candidate;
    } catch (error) {
      removeIfPossible(candidate);
      throw error;
    }
  }
}

export function readStart(path: string, length: number): Buffer {
  const start = Buffer.alloc(length);
  return withFile(path, "r", (file) => start.subarray(0, readSync(file, start)));
}

/** Resolves links, because SQLite keeps its WAL beside the file itself. If a path cannot be read, opening the result reports the error. */
export function resolveLinks(path: string): string {
  let file = path;
  try {
    for (let linkCount = 0; linkCount < maxLinks; linkCount++) {
      if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return file;
    throw error;
  }
  return path;
}

/** Limit of Linux: a longer chain of links counts as a cycle. */
const maxLinks = 40;

export function flush(path: string): void {
  withFile(path, "r", fsyncSync);
}

export function withFile<Result>(path: string, flags: string | number, use: (file: number) => Result): Result {
  const file = openSync(path, flags);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

export function removeIfPossible(path: string): void {
  ifPossible(() => rmSync(path, { force: true }));
}

export function ifPossible<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
