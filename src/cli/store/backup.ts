import { readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { escapeControls } from "../../base/escape-controls.ts";
import { isLeftover } from "../../base/files.ts";
import { toJson } from "../../base/json.ts";
import { integerSetting, nonEmpty, operand, SettingsError, setting } from "../../config.ts";
import { Log } from "../../log/log.ts";
import {
  type BackupDone,
  type BackupOptions,
  backUpFile,
  isUsed,
  requireFolder,
  requireStore,
} from "../../store/store-files.ts";
import { command, exitCodes } from "../command.ts";
import { stopped, untilToldToStop } from "../terminal/interruption.ts";
import { ClosedPipe, type Output } from "../terminal/output.ts";
import { plural } from "../terminal/plural.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { parseDuration } from "../terminal/time.ts";
import { databaseSetting } from "./database-settings.ts";

const usuallyKept = 24;

const settings = {
  database: databaseSetting,
  every: setting((text) => parseDuration(text) || undefined, {
    flag: "every",
    placeholder: "TIME",
    help: "Make a backup immediately, then at this interval, such as 1h, in a folder, until stopped.",
    expects: "a time such as 24h, 1h or 10m",
  }),
  keep: integerSetting(1, 100_000, {
    flag: "keep",
    help: `With --every: how many backups to keep; the oldest are removed. Default: ${usuallyKept}`,
  }),
};

export const backupCommand = command({
  name: "backup",
  summary: "Back up the SQLite database to a file, even while the service is running.",
  settings,
  operands: {
    target: operand(nonEmpty, {
      placeholder: "TARGET",
      help: "The file to write; with --every, the folder in which backups are made.",
      expects: "one file to write, or with --every by one folder",
      isFile: true,
    }),
  },
  async run({ settings: given, operands: { target }, output }) {
    const path = pathOf(given.database, "backup");
    const { every, keep = usuallyKept } = given;
    if (every === undefined && given.keep !== undefined) throw new SettingsError(["--keep needs --every."]);
    const stop = untilToldToStop();
    if (every === undefined) return await makeOne(path, target, stop, output);
    requireFolder(target);
    requireStore(path);
    return await makeMany(path, resolve(target), every, keep, stop, output);
  },
});

/** Returns the file of a store. Throws SettingsError for PostgreSQL. */
export function pathOf(database: DatabaseAddress, command: string, instead = ownTools): string {
  if (database.kind === "sqlite") return database.path;
  throw new SettingsError([`${command} is for a SQLite file. ${instead}`]);
}

const ownTools = "For PostgreSQL, use its own tools: see docs/runbook.md.";

async function makeOne(path: string, file: string, signal: AbortSignal, output: Output): Promise<number> {
  const start = performance.now();
  const done = await withProgress("Backing up", signal, (options) => backUpFile(path, file, options));
  if (!done) return stopped(signal, "No backup was made.", output);
  const { animals, bytes } = done;
  const seconds = secondsSince(start);
  const text = `Backed up to ${resolve(file)}: ${animals} ${plural(animals, "animal")}, ${bytes} bytes, ${seconds} ${plural(seconds, "second")}.`;
  return await output.text(escapeControls(text), { file: resolve(file), animals, bytes, seconds });
}

/** Shows the progress of work on a file. Returns undefined if the signal has ended it. */
export async function withProgress<Done>(
  label: string,
  signal: AbortSignal,
  work: (options: BackupOptions) => Promise<Done>,
): Promise<Done | undefined> {
  let bar: ProgressBar | undefined;
  const onProgress = (done: number, total: number) => {
    bar ??= new ProgressBar(label, total);
    bar.show(done);
  };
  try {
    return await work({ signal, onProgress });
  } catch (error) {
    bar?.end();
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** After a failure, the next backup may succeed. Backups go on after the reader of standard output is gone. */
async function makeMany(
  path: string,
  folder: string,
  everyMs: number,
  keep: number,
  signal: AbortSignal,
  output: Output,
): Promise<number> {
  const log = new Log("info", Boolean(process.stderr.isTTY));
  let isRead = output.isJson;
  while (!signal.aborted) {
    const start = performance.now();
    const made = await makeNext(path, folder, signal, log);
    if (made) removeOldest(folder, keep, basename(made.file), log);
    if (made && isRead) isRead = await print(made, output, log);
    await waitUntil(start + everyMs, signal);
  }
  log.write("info", `stopping on ${signal.reason}`);
  log.flush();
  return exitCodes.success;
}

/** Logs a failure, and then returns undefined. */
async function makeNext(path: string, folder: string, signal: AbortSignal, log: Log) {
  const start = performance.now();
  const file = join(folder, `animal-store-${stampAt(new Date())}.db`);
  try {
    const done = await backUpFile(path, file, { signal, onProgress: () => {}, keepsOthers: true });
    const made = { ...done, seconds: secondsSince(start) };
    log.write("info", "backed up", made);
    return made;
  } catch (error) {
    if (!signal.aborted) log.write("error", "the backup failed", { file, cause: messageOf(error) });
    return undefined;
  }
}

/** Returns false if the reader of standard output is gone. */
async function print(made: BackupDone, output: Output, log: Log): Promise<boolean> {
  try {
    await output.entry(toJson(made), () => "");
  } catch (error) {
    if (error instanceof ClosedPipe) return false;
    const { file } = made;
    log.write("error", "the backup was made, but could not be printed", { file, cause: messageOf(error) });
  }
  return true;
}

function stampAt(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function waitUntil(endMs: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = endMs - performance.now(); leftMs > 0 && !signal.aborted; leftMs = endMs - performance.now()) {
    await setTimeout(Math.min(leftMs, maxTimerMs), undefined, { signal }).catch(() => {});
  }
}

/** Timers treat a longer time as none. */
const maxTimerMs = 2 ** 31 - 1;

/** Removes only files with the names of backups. A failure to remove one is logged. */
function removeOldest(folder: string, keep: number, made: string, log: Log): void {
  const names = namesIn(folder, log);
  const others = names.filter((name) => name !== made && isBackup(join(folder, name)));
  const now = stampAt(new Date());
  const later = others.filter((name) => stampOf(name) > now);
  if (later.length > 0) {
    log.write("warn", "backups are named for the future, and are neither counted nor removed; check the clock", {
      count: later.length,
      file: join(folder, later[0] ?? ""),
    });
  }
  const earlier = others.filter((name) => stampOf(name) <= now).sort(byAge);
  const old = earlier.slice(0, Math.max(0, earlier.length - (keep - 1)));
  const abandoned = names.filter(
    (name) => /^animal-store-\d{8}T\d{6}Z\.db\.partial-/.test(name) && isLeftover(join(folder, name)),
  );
  for (const file of [...old, ...abandoned].map((name) => join(folder, name))) {
    try {
      rmSync(file, { force: true });
      log.write("info", "removed an old backup", { file });
    } catch (error) {
      log.write("error", "an old backup could not be removed", { file, cause: messageOf(error) });
    }
  }
}

function namesIn(folder: string, log: Log): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    log.write("error", "old backups could not be listed", { folder, cause: messageOf(error) });
    return [];
  }
}

/** Backups of the same second are numbered in their order. */
function byAge(one: string, other: string): number {
  const [stamp, otherStamp] = [stampOf(one), stampOf(other)];
  if (stamp === otherStamp) return numberOf(one) - numberOf(other);
  return stamp < otherStamp ? -1 : 1;
}

/** Returns an empty stamp for a file of another kind. */
function stampOf(name: string): string {
  return backupName.exec(name)?.[1] ?? "";
}

function numberOf(name: string): number {
  return Number(backupName.exec(name)?.[2] ?? 1);
}

const backupName = /^animal-store-(\d{8}T\d{6}Z)(?:-(\d+))?\.db$/;

/** A file that is used as a store is no longer a backup. An unreadable file is reported when it cannot be removed. */
function isBackup(file: string): boolean {
  if (stampOf(basename(file)) === "") return false;
  try {
    return !isUsed(file);
  } catch {
    return true;
  }
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 10) / 100;
}
