import { createHash } from "node:crypto";
import { createReadStream, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { choiceSetting, fileOperand, SettingsError, switchSetting, textSetting } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { command, exitCodes } from "../command.ts";
import { connectionSettings } from "../remote/connection.ts";
import { databaseFlag } from "../store/database-settings.ts";
import { createInterruptSignal, Interruption, unlessAborted } from "../terminal/interruption.ts";
import type { Output } from "../terminal/output.ts";
import { plural } from "../terminal/plural.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { AnimalReader } from "./animal-reader.ts";
import { readBatches, type StartPosition } from "./batches.ts";
import { Checkpoint, lockRejects, type Progress } from "./checkpoint.ts";
import { type Destination, dryRunDestination, openServiceDestination, openStoreDestination } from "./destination.ts";
import { type Format, formatSetting, guessFormat } from "./format.ts";
import { duplicateDetectionMs, Importer } from "./importer.ts";
import { PrintedRejects, RejectsFile } from "./rejects.ts";

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
    inDoubtAction: choiceSetting("--in-doubt WHAT", ["add", "skip"] as const, {
      help: "After more than 23 hours: add or skip the batch that was interrupted or, if the store was replaced or restored since, everything up to there.",
    }),
  },
  operands: {
    file: fileOperand("FILE", "An NDJSON or CSV file, or - for standard input.", "one file, or - for standard input"),
  },
  async run({ output, operands: { file }, ...given }) {
    const { name, dryRun, inDoubtAction, database } = given.settings;
    const format = requireFormat(file, given.settings.format);
    const sourceStats = file === standardInput ? undefined : requireFile(file);
    // Undefined for a pipe: a pipe can be read only once, so its import cannot be resumed.
    const size = sourceStats?.isFile() ? sourceStats.size : undefined;
    const signal = createInterruptSignal();
    const open = () => (database ? openStoreDestination(database, signal) : openServiceDestination(given, signal));
    await using destination = dryRun ? dryRunDestination : await open();
    const isResumable = size !== undefined && !dryRun;
    const checkpoint = isResumable ? new Checkpoint(resolve(file), format, destination.identity, name) : undefined;
    const note = (text: string) => output.note(`animal-store: ${text}`);
    using _ = await checkpoint?.lock(() => note("This import is already running. Waiting for it to end."), signal);
    const rejectsPath = resolve(given.settings.rejects ?? `${size === undefined ? "stdin" : file}.rejects.ndjson`);
    using _rejects = isResumable ? lockRejects(rejectsPath) : undefined;
    const { start, before } = await findStart(file, await loadProgress(checkpoint, destination, inDoubtAction, note));
    using progress = new ProgressBar(dryRun ? "Checking" : "Importing", size, start.bytes);
    const noteBelow = (text: string) => {
      progress.end();
      note(text);
    };
    const writtenBytes = before?.rejectsPath === rejectsPath ? before.rejectsBytes : 0;
    using rejects = dryRun
      ? new PrintedRejects(noteBelow)
      : await RejectsFile.open(rejectsPath, writtenBytes, sourceStats, signal);
    const importer = new Importer({
      name,
      destination,
      checkpoint,
      before,
      reader: new AnimalReader(format, noteBelow),
      rejects,
      rejectsPath,
      inDoubtAction,
      onProgress: (bytes, animals) => progress.show(bytes, animals),
    });
    try {
      const chunks = untilAborted(openFile(file, start.bytes), signal);
      await importer.run(readBatches(chunks, format, destination.batchSize, start));
    } catch (error) {
      return reportFailure(importer, error, dryRun, noteBelow);
    }
    progress.end();
    return await reportDone(output, importer, before?.added ?? 0, dryRun, rejects.bytes > 0 ? rejectsPath : null);
  },
});

const standardInput = "-";

function requireFormat(file: string, format = guessFormat(file)): Format {
  if (format) return format;
  throw new SettingsError("--format is required, because the file name does not show the format.");
}

function requireFile(file: string): Stats {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new SettingsError(`${resolve(file)} does not exist.`);
  if (stats.isDirectory()) throw new SettingsError(`${resolve(file)} is a folder.`);
  return stats;
}

/** Returns undefined to start over, which adds nothing twice within 23 hours of the first batch. Later, the user has to decide. */
async function loadProgress(
  checkpoint: Checkpoint | undefined,
  destination: Destination,
  inDoubtAction: "add" | "skip" | undefined,
  note: (text: string) => void,
): Promise<Progress | undefined> {
  const saved = checkpoint?.load();
  if (!saved) return undefined;
  const isValid = saved.mark === undefined ? saved.added === 0 : await destination.hasHistory(saved.mark);
  if (isValid) return saved;
  const reason = "The store may have been replaced or restored since this import was run";
  if (Date.now() - saved.begunAt <= duplicateDetectionMs || inDoubtAction === "add") {
    note(`${reason}, so it starts over.`);
    return undefined;
  }
  if (inDoubtAction === "skip") return { ...saved, mark: undefined };
  throw new ServiceError(
    "Conflict",
    `${reason}, too long ago for the store to know which animals it has of lines 1 to ${saved.place.line - 1}. Run it again with --in-doubt add to add the whole file, or with --in-doubt skip to skip these lines.`,
  );
}

async function findStart(
  file: string,
  before: Progress | undefined,
): Promise<{ readonly start: StartPosition; readonly before?: Progress }> {
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
  throw error;
}

async function reportDone(
  output: Output,
  { added, repeated, rejected, rejectedInTotal }: Importer,
  earlier: number,
  isDryRun: boolean,
  rejects: string | null,
): Promise<number> {
  const addedBefore = repeated + earlier;
  const animals = `${added} ${plural(added, "animal")}`;
  const lines = rejectedInTotal === 1 ? "1 line was" : `${rejectedInTotal} lines were`;
  const text = [
    isDryRun ? `${animals} could be added.` : `Added ${animals}.`,
    ...(addedBefore > 0 ? [`${addedBefore} had been added before.`] : []),
    ...(rejectedInTotal > 0 ? [`${lines} rejected${rejects ? `: see ${rejects}` : ""}.`] : []),
  ];
  await output.report(text.join(" "), { added, repeated, earlier, rejected, rejects, isDryRun });
  return rejectedInTotal > 0 ? exitCodes.partial : exitCodes.success;
}
