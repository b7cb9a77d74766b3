import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { integer, nonEmpty, operand, SettingsError, setting } from "../../config.ts";
import { Log } from "../../log/log.ts";
import { backUpFile, requireFolder, requireStore } from "../../store/sqlite/backup/backup.ts";
import { isLeftover } from "../../store/sqlite/file/partial.ts";
import { command, exitCodes } from "../command.ts";
import type { Output } from "../terminal/output.ts";
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
    help: "Make a backup now and then at this interval, such as 1h, in a folder, until stopped.",
    expects: "a time such as 24h, 1h or 10m",
  }),
  keep: setting(integer(1, 100_000), {
    flag: "keep",
    placeholder: "NUMBER",
    help: `With --every: how many backups to keep; the oldest are removed. Default: ${usuallyKept}`,
    expects: "an integer from 1 to 100000",
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

/** The file of a store. Throws SettingsError for one on PostgreSQL, which has better means of its own. */
export function pathOf(database: DatabaseAddress, command: string): string {
  if (database.kind === "sqlite") return database.path;
  throw new SettingsError([`${command} is for a SQLite file. For PostgreSQL, use its own tools: see docs/runbook.md.`]);
}

async function makeOne(path: string, file: string, signal: AbortSignal, output: Output): Promise<number> {
  const start = performance.now();
  let bar: ProgressBar | undefined;
  const onProgress = (done: number, total: number) => {
    bar ??= new ProgressBar("Backing up", total);
    bar.show(done);
  };
  try {
    const { animals, bytes } = await backUpFile(path, file, { signal, onProgress });
    const seconds = secondsSince(start);
    const text = `Backed up to ${resolve(file)}: ${animals} ${plural(animals, "animal")}, ${bytes} bytes, ${seconds} ${plural(seconds, "second")}.`;
    return await output.text(text, { file: resolve(file), animals, bytes, seconds });
  } catch (error) {
    if (!signal.aborted) throw error;
    output.note(`animal-store: Stopped by ${signal.reason}. No backup was made.`);
    return signal.reason === "SIGINT" ? exitCodes.interrupted : exitCodes.failure;
  }
}

/** A failure is reported, and the next backup may succeed. */
async function makeMany(
  path: string,
  folder: string,
  everyMs: number,
  keep: number,
  signal: AbortSignal,
  output: Output,
): Promise<number> {
  const log = new Log("info", Boolean(process.stderr.isTTY));
  while (!signal.aborted) {
    const start = performance.now();
    const file = join(folder, nameAt(new Date()));
    try {
      const done = await backUpFile(path, file, { signal, onProgress: () => {} });
      const seconds = secondsSince(start);
      log.write("info", "backed up", { file, ...done, seconds });
      if (output.isJson) await output.done("", { file, ...done, seconds });
      removeOldest(folder, keep, log);
    } catch (error) {
      if (signal.aborted) break;
      log.write("error", "the backup failed", { file, cause: messageOf(error) });
    }
    await setTimeout(Math.max(0, everyMs - (performance.now() - start)), undefined, { signal }).catch(() => {});
  }
  log.write("info", `stopping on ${signal.reason}`);
  log.flush();
  return exitCodes.success;
}

function nameAt(time: Date): string {
  return `animal-store-${time.toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Names of this kind ascend with time. What has another is not ours to remove. One that stays is no failure of the new one. */
function removeOldest(folder: string, keep: number, log: Log): void {
  const names = readdirSync(folder).filter((name) => /^animal-store-\d{8}T\d{6}Z\.db$/.test(name));
  const old = names.sort().slice(0, -keep);
  const abandoned = readdirSync(folder).filter(
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

function untilToldToStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => controller.abort(signal));
  return controller.signal;
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 10) / 100;
}
