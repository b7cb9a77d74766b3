import { readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { escapeControls } from "../../base/escape-controls.ts";
import { ifPossible, isLeftover } from "../../base/files.ts";
import { toJson } from "../../base/json.ts";
import { fileOperand, integerSetting, SettingsError, setting } from "../../config.ts";
import { Log } from "../../log/log.ts";
import {
  type BackupOptions,
  type BackupResult,
  backUpFile,
  isUsed,
  requireFolder,
  requireStore,
} from "../../store/store-files.ts";
import { command, exitCodes } from "../command.ts";
import { createInterruptSignal, unlessStopped } from "../terminal/interruption.ts";
import { ClosedPipe, type Output } from "../terminal/output.ts";
import { plural } from "../terminal/plural.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { parseDuration } from "../terminal/time.ts";
import { databaseSetting } from "./database-settings.ts";

const defaultKeep = 24;

export const backupCommand = command({
  name: "backup",
  summary: "Back up the SQLite database to a file, even while the service is running.",
  settings: {
    database: databaseSetting,
    every: setting("--every TIME", (text) => parseDuration(text) || undefined, {
      help: "Make a backup immediately, then at this interval, such as 1h, in a folder, until stopped.",
      expects: "a time such as 24h, 1h or 10m",
    }),
    keep: integerSetting("--keep NUMBER", [1, 100_000], {
      help: `With --every: how many backups to keep; the oldest are removed. Default: ${defaultKeep}`,
    }),
  },
  operands: {
    target: fileOperand(
      "TARGET",
      "The file to write; with --every, the folder in which backups are made.",
      "one file to write, or with --every by one folder",
    ),
  },
  async run({ settings: { database, every, keep }, operands: { target }, output }) {
    const path = requireSqlite(database, "backup");
    if (every === undefined && keep !== undefined) throw new SettingsError("--keep needs --every.");
    const signal = createInterruptSignal({ finishesCleanUp: true });
    if (every === undefined) return await backUpOnce(path, target, signal, output);
    requireFolder(target);
    requireStore(path);
    const series = { path, folder: resolve(target), everyMs: every, keep: keep ?? defaultKeep };
    return await backUpRepeatedly(series, signal, output);
  },
});

export function requireSqlite(database: DatabaseAddress, command: string): string {
  if (database.kind === "sqlite") return database.path;
  throw new SettingsError(`${command} is for a SQLite file. For PostgreSQL, use its own tools: see docs/runbook.md.`);
}

async function backUpOnce(path: string, target: string, signal: AbortSignal, output: Output): Promise<number> {
  const start = performance.now();
  const work = withProgress("Backing up", signal, (options) => backUpFile(path, target, options));
  const { animals, bytes } = await unlessStopped(signal, "No backup was made.", output, work);
  const [file, seconds] = [resolve(target), secondsSince(start)];
  const counts = `${animals} ${plural(animals, "animal")}, ${bytes} bytes, ${seconds} ${plural(seconds, "second")}`;
  return await output.print(escapeControls(`Backed up to ${file}: ${counts}.`), { file, animals, bytes, seconds });
}

export async function withProgress<Done>(
  label: string,
  signal: AbortSignal,
  work: (options: BackupOptions) => Promise<Done>,
): Promise<Done> {
  let bar: ProgressBar | undefined;
  const onProgress = (done: number, total: number) => {
    bar ??= new ProgressBar(label, total);
    bar.show(done);
  };
  return await work({ signal, onProgress }).finally(() => bar?.end());
}

interface BackupSeries {
  readonly path: string;
  readonly folder: string;
  readonly everyMs: number;
  readonly keep: number;
}

/** Makes backups until stopped, even after a backup has failed or the reader of standard output has closed the pipe. */
async function backUpRepeatedly(series: BackupSeries, signal: AbortSignal, output: Output): Promise<number> {
  const log = new Log("info", Boolean(process.stderr.isTTY));
  while (!signal.aborted) {
    const start = performance.now();
    const backup = await makeBackup(series, signal, log);
    if (backup) removeOldBackups(series, basename(backup.file), log);
    if (backup && output.isJson)
      await output.write(`${toJson(backup)}\n`).catch((error) => logUnprinted(error, backup, log));
    await waitUntil(start + series.everyMs, signal);
  }
  log.write("info", `stopping on ${signal.reason.signal}`);
  log.flush();
  return exitCodes.success;
}

async function makeBackup({ path, folder }: BackupSeries, signal: AbortSignal, log: Log) {
  const start = performance.now();
  const file = join(folder, `animal-store-${formatStamp(new Date())}.db`);
  try {
    const result = await backUpFile(path, file, { signal, onProgress: () => {}, keepsExisting: true });
    const backup = { ...result, seconds: secondsSince(start) };
    log.write("info", "backed up", backup);
    return backup;
  } catch (error) {
    if (!signal.aborted) logFailure(log, "the backup failed", { file }, error);
    return undefined;
  }
}

function logUnprinted(error: Error, { file }: BackupResult, log: Log): void {
  if (error instanceof ClosedPipe) return;
  logFailure(log, "the backup was made, but could not be printed", { file }, error);
}

function logFailure(log: Log, message: string, fields: Readonly<Record<string, string>>, error: unknown): void {
  log.write("error", message, { ...fields, cause: error instanceof Error ? error.message : String(error) });
}

function formatStamp(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, "");
}

async function waitUntil(endMs: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = endMs - performance.now(); leftMs > 0 && !signal.aborted; leftMs = endMs - performance.now()) {
    await setTimeout(Math.min(leftMs, maxTimerMs), undefined, { signal }).catch(() => {});
  }
}

/** A timer with a longer delay fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Removes the oldest backups and abandoned partial backups, but no files with other names, and no backup that was used as a store. */
function removeOldBackups({ folder, keep }: BackupSeries, newestName: string, log: Log): void {
  const names = listFolder(folder, log);
  const others = names.flatMap((name) => {
    const [, stamp, number = 1] = backupNamePattern.exec(name) ?? [];
    const file = join(folder, name);
    // An unreadable file counts as a backup, so that the failure to remove it is logged.
    if (stamp === undefined || name === newestName || ifPossible(() => isUsed(file))) return [];
    return { file, stamp, number: Number(number) };
  });
  const now = formatStamp(new Date());
  const [later, earlier] = [others.filter(({ stamp }) => stamp > now), others.filter(({ stamp }) => stamp <= now)];
  if (later.length > 0) {
    log.write("warn", "backups are named for the future, and are neither counted nor removed; check the clock", {
      count: later.length,
      file: later[0]?.file ?? "",
    });
  }
  earlier.sort((one, other) => one.stamp.localeCompare(other.stamp) || one.number - other.number);
  const oldFiles = earlier.slice(0, Math.max(0, earlier.length - (keep - 1))).map(({ file }) => file);
  const partials = names.filter((name) => /^animal-store-\d{8}T\d{6}Z\.db\.partial-/.test(name));
  for (const file of [...oldFiles, ...partials.map((name) => join(folder, name)).filter(isLeftover)]) {
    try {
      rmSync(file, { force: true });
      log.write("info", "removed an old backup", { file });
    } catch (error) {
      logFailure(log, "an old backup could not be removed", { file }, error);
    }
  }
}

/** Backups of the same second are numbered. */
const backupNamePattern = /^animal-store-(\d{8}T\d{6}Z)(?:-(\d+))?\.db$/;

function listFolder(folder: string, log: Log): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    logFailure(log, "old backups could not be listed", { folder }, error);
    return [];
  }
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 10) / 100;
}
