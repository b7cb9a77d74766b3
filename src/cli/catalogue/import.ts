import { createHash } from "node:crypto";
import { createReadStream, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { ApiError } from "../../../packages/client/src/errors.ts";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { choiceSetting, fileOperand, SettingsError, switchSetting, textSetting } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { command, exitCodes } from "../command.ts";
import { type Connection, connectionSettings } from "../remote/connection.ts";
import { databaseFlag } from "../store/database-settings.ts";
import { createInterruptSignal, Interruption, unlessAborted } from "../terminal/interruption.ts";
import type { Output } from "../terminal/output.ts";
import { plural } from "../terminal/plural.ts";
import { petProgress } from "../terminal/progress-bar.ts";
import { AnimalReader } from "./animal-reader.ts";
import { readBatches, type Start } from "./batches.ts";
import { Checkpoint, lockSharedFile, type Progress } from "./checkpoint.ts";
import { type Destination, dryRunDestination, serviceDestination, storeDestination } from "./destination.ts";
import { type Format, formatOf, formatSetting } from "./format.ts";
import { Importer } from "./importer.ts";
import { RejectsFile, ShownRejects } from "./rejects.ts";

export const importCommand = command({
  name: "import",
  summary: "Add the animals in a file to a running service or a database, none of them twice.",
  details:
    "Invalid lines are written to another file, with their number and the reason, and the exit code is then 4. If the import is stopped, run the same command again: it resumes.",
  settings: {
    ...connectionSettings,
    database: databaseFlag("--database", "The database to add them to, instead of a running service."),
    format: formatSetting,
    name: textSetting("--name TEXT", {
      help: "A name for this import: under each name, a file is imported once.",
      default: "import",
    }),
    rejects: textSetting("--rejects FILE", { help: "The file for invalid lines. By default FILE.rejects.ndjson." }),
    dryRun: switchSetting("--dry-run", "Check everything, and write nothing."),
    inDoubt: choiceSetting("--in-doubt WHAT", ["add", "skip"] as const, {
      help: "After more than 23 hours: add or skip the batch that was interrupted or, if the store was replaced or restored since, everything up to there.",
      expects: "add or skip",
    }),
  },
  operands: {
    file: fileOperand("FILE", "An NDJSON or CSV file, or - for standard input.", "one file, or - for standard input"),
  },
  async run({ output, operands: { file }, ...given }) {
    const { name, dryRun, inDoubt } = given.settings;
    const format = requireFormat(file, given.settings.format);
    const source = file === standardInput ? undefined : requireFile(file);
    // Undefined for a pipe, which can be read only once, so that its import cannot be resumed.
    const size = source?.isFile() ? source.size : undefined;
    const signal = createInterruptSignal();
    await using destination = await openDestination(given, signal);
    const isResumable = size !== undefined && !dryRun;
    const checkpoint = isResumable ? new Checkpoint(resolve(file), format, destination.identity, name) : undefined;
    const note = (text: string) => output.note(`animal-store: ${text}`);
    using _ = await checkpoint?.lock(() => note("This import is already running. Waiting for it to end."), signal);
    const rejectsFile = given.settings.rejects ?? `${size === undefined ? "stdin" : file}.rejects.ndjson`;
    const rejectsPath = resolve(rejectsFile);
    using _rejects = isResumable ? await lockRejects(rejectsPath, note, signal) : undefined;
    const { start, before } = await resume(file, await loadProgress(checkpoint, destination, inDoubt, note));
    const progress = petProgress(dryRun ? "Checking" : "Importing", size, start.bytes);
    const noteBelow = (text: string) => {
      progress.end();
      note(text);
    };
    const writtenBytes = before?.rejectsPath === rejectsPath ? before.rejectsBytes : 0;
    using rejects = dryRun
      ? new ShownRejects(noteBelow)
      : await RejectsFile.open(rejectsPath, writtenBytes, source, signal);
    const importer = new Importer({
      name,
      destination,
      checkpoint,
      before,
      reader: new AnimalReader(format, noteBelow),
      rejects,
      rejectsPath,
      inDoubt: isForgotten(before) ? inDoubt : "add",
      onProgress: progress.show,
    });
    try {
      const chunks = untilAborted(openFile(file, start.bytes), signal);
      await importer.run(readBatches(chunks, format, destination.batchSize, start));
    } catch (error) {
      return reportFailure(importer, error, dryRun, noteBelow);
    } finally {
      progress.end();
    }
    const rejectsShown = rejects.bytes > 0 ? { file: rejectsFile, path: rejectsPath } : undefined;
    return await reportDone(output, importer, before?.added ?? 0, dryRun, rejectsShown);
  },
});

async function openDestination(
  given: Connection & { readonly settings: { database: DatabaseAddress | undefined; dryRun: boolean } },
  signal: AbortSignal,
): Promise<Destination> {
  const { database, dryRun } = given.settings;
  if (dryRun) return dryRunDestination;
  return database ? await storeDestination(database, signal) : serviceDestination(given, signal);
}

const standardInput = "-";

function requireFormat(file: string, format = formatOf(file)): Format {
  if (format) return format;
  throw new SettingsError("--format is required, because the file name does not show the format.");
}

function requireFile(file: string): Stats {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new SettingsError(`${resolve(file)} does not exist.`);
  if (stats.isDirectory()) throw new SettingsError(`${resolve(file)} is a folder.`);
  return stats;
}

/**
 * Waits until no other import writes to the file of rejected lines, which imports of one file to several destinations share by default.
 * Imports from pipes do not wait: one program may feed two of them, and waiting would be a deadlock.
 */
async function lockRejects(
  path: string,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<Disposable | undefined> {
  // Concurrent writes to devices and pipes are harmless.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return undefined;
  const file = JSON.stringify(path);
  const text = `Another import writes to ${file}. Waiting for it to end; with another --rejects, both could run.`;
  return await lockSharedFile(path, () => note(text), signal);
}

/**
 * Returns the saved progress; undefined if there is none, or if the store may have been replaced or restored since. In that case everything
 * is sent again, and the store recognises the batches of the last 24 hours. Throws Conflict if the import began earlier, unless the user
 * has decided what to do.
 */
async function loadProgress(
  checkpoint: Checkpoint | undefined,
  destination: Destination,
  inDoubt: "add" | "skip" | undefined,
  note: (text: string) => void,
): Promise<Progress | undefined> {
  const saved = checkpoint?.load();
  if (!saved) return undefined;
  const isValid = saved.mark === undefined ? saved.added === 0 : await destination.hasHistory(saved.mark);
  if (isValid) return saved;
  const reason =
    saved.mark === undefined
      ? "This import was stopped before it could note which store it adds to"
      : "The store was replaced or restored since this import was run";
  if (Date.now() - saved.begunAt <= recognisedForMs || inDoubt === "add") {
    note(`${reason}, so it starts over.`);
    return undefined;
  }
  if (inDoubt === "skip") return { ...saved, mark: undefined };
  throw new ServiceError(
    "Conflict",
    `${reason}, too long ago for the store to know which animals it has of lines 1 to ${saved.place.line - 1}. Run it again with --in-doubt add to add the whole file, or with --in-doubt skip to skip these lines.`,
  );
}

/** Returns true if an interrupted run may have sent a batch that the store no longer recognises. */
function isForgotten(before: Progress | undefined): boolean {
  return before !== undefined && !before.isDone && Date.now() - before.at > recognisedForMs;
}

/** Shorter than the 24 hours for which stores keep idempotency records, because the clock of the store may differ. */
const recognisedForMs = 23 * 60 * 60 * 1000;

/** Returns where to continue: at the saved position if the file is unchanged before it, and otherwise at the beginning. */
async function resume(
  file: string,
  before: Progress | undefined,
): Promise<{ readonly start: Start; readonly before?: Progress }> {
  const beginning = { start: { hash: createHash("sha256"), bytes: 0, line: 1 } };
  if (!before || requireFile(file).size < before.place.bytes) return beginning;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { end: before.place.bytes - 1, highWaterMark })) hash.update(chunk);
  const isUnchanged = hash.copy().digest("hex") === before.place.digest;
  return isUnchanged ? { start: { ...before.place, hash }, before } : beginning;
}

function openFile(file: string, from: number): AsyncIterable<Uint8Array> {
  if (file === standardInput) return process.stdin;
  // Omits `start` at position 0, because a pipe has no positions.
  return createReadStream(file, { ...(from > 0 && { start: from }), highWaterMark });
}

const highWaterMark = 256 * 1024;

/** Yields chunks. On abort, throws the signal's reason even while the stream is silent, because closing a stream ends no pending read. */
async function* untilAborted<Chunk>(chunks: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await unlessAborted(iterator.next(), signal);
    if (done) return;
    yield value;
  }
}

/** Reports how much was added before an error. Returns the exit code, or throws the error again. */
function reportFailure(importer: Importer, error: unknown, isDryRun: boolean, note: (text: string) => void): number {
  const { added, isInDoubt } = importer;
  // If no animals were added, most errors already say so.
  if (isDryRun || (added === 0 && !(isInDoubt && error instanceof Interruption))) throw error;
  const count = `${isInDoubt ? "At least " : ""}${added} ${plural(added, "animal")} ${added === 1 ? "was" : "were"} added.`;
  const outcome = added === 0 ? "It is not known whether any animals were added." : count;
  const advice = `${outcome} Run the same command again to continue.`;
  if (error instanceof ServiceError && error.cause !== undefined) {
    // The message and the exit code of the error mean that nothing was saved, which is true only of the failed batch.
    note(`The import is incomplete: ${error.cause}. ${advice}`);
    return error.code === "ServiceUnavailable" ? exitCodes.unreachable : exitCodes.failure;
  }
  note(advice);
  if (error instanceof ApiError) error.message = `A later request was refused: ${error.message}`;
  throw error;
}

async function reportDone(
  output: Output,
  { added, repeated, rejected, rejectedInTotal }: Importer,
  earlier: number,
  isDryRun: boolean,
  rejects: { readonly file: string; readonly path: string } | undefined,
): Promise<number> {
  const addedBefore = repeated + earlier;
  const animals = `${added} ${plural(added, "animal")}`;
  const lines = rejectedInTotal === 1 ? "1 line was" : `${rejectedInTotal} lines were`;
  const text = [
    isDryRun ? `${animals} could be added.` : `Added ${animals}.`,
    ...(addedBefore > 0 ? [`${addedBefore} had been added before.`] : []),
    ...(rejectedInTotal > 0 ? [`${lines} rejected${rejects ? `: see ${rejects.file}` : ""}.`] : []),
  ];
  await output.done(text.join(" "), { added, repeated, earlier, rejected, rejects: rejects?.path ?? null, isDryRun });
  return rejectedInTotal > 0 ? exitCodes.partial : exitCodes.success;
}
