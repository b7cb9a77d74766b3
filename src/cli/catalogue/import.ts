import { createHash } from "node:crypto";
import { createReadStream, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { ApiError } from "../../../packages/client/src/errors.ts";
import { nonEmpty, oneOf, operand, SettingsError, setting, switchSetting } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { command, exitCodes } from "../command.ts";
import { connectionSettings } from "../remote/connection.ts";
import { databaseFlag } from "../store/database-settings.ts";
import { Interruption, unlessAborted, untilInterrupted } from "../terminal/interruption.ts";
import { Pace } from "../terminal/pace.ts";
import { plural } from "../terminal/plural.ts";
import { AnimalReader } from "./animal-reader.ts";
import { batchesIn, type Start } from "./batches.ts";
import { Checkpoint, type Progress, takeFile } from "./checkpoint.ts";
import { type Destination, nowhere, serviceDestination, storeDestination } from "./destination.ts";
import { formatOf, formatSetting } from "./format.ts";
import { Importer } from "./importer.ts";
import { RejectsFile, ShownRejects } from "./rejects.ts";

const settings = {
  ...connectionSettings,
  database: databaseFlag("database", "The database to add them to, instead of a running service."),
  format: formatSetting,
  name: setting(nonEmpty, {
    flag: "name",
    placeholder: "TEXT",
    help: "A name for this import: under each name, a file is imported once.",
    expects: "a non-empty text",
    default: "import",
  }),
  rejects: setting(nonEmpty, {
    flag: "rejects",
    placeholder: "FILE",
    help: "The file for invalid lines. By default FILE.rejects.ndjson.",
    expects: "the path of a file",
  }),
  dryRun: switchSetting("dry-run", "Check everything, and write nothing."),
  inDoubt: setting(oneOf(["add", "skip"] as const), {
    flag: "in-doubt",
    placeholder: "WHAT",
    help: "After more than 23 hours: add or skip the batch that was interrupted or, if the store was replaced or restored since, everything up to there.",
    expects: "add or skip",
    choices: ["add", "skip"],
  }),
};

export const importCommand = command({
  name: "import",
  summary: "Add the animals in a file to a running service or a database, none of them twice.",
  details:
    "Invalid lines are written to another file, with their number and the reason, and the exit code is then 4. If the import is stopped, run the same command again: it resumes.",
  settings,
  operands: {
    file: operand(nonEmpty, {
      placeholder: "FILE",
      help: "An NDJSON or CSV file, or - for standard input.",
      expects: "one file, or - for standard input",
      isFile: true,
    }),
  },
  async run({ output, operands: { file }, ...given }) {
    const { format = formatOf(file), database, name, dryRun, inDoubt } = given.settings;
    if (!format) throw new SettingsError(["--format is required, because the file name does not show the format."]);
    const source = file === standardInput ? undefined : found(file);
    // What comes by a pipe comes once.
    const size = source?.isFile() ? source.size : undefined;
    const interrupted = untilInterrupted();
    await using destination = dryRun
      ? nowhere
      : database
        ? await storeDestination(database, interrupted)
        : serviceDestination(given, interrupted);
    const isResumable = size !== undefined && !dryRun;
    const checkpoint = isResumable ? new Checkpoint(resolve(file), format, destination.identity, name) : undefined;
    const note = (text: string) => output.note(`animal-store: ${text}`);
    using _ = await checkpoint?.takeTurn(
      () => note("This import is already running. Waiting for it to end."),
      interrupted,
    );
    const rejectsFile = given.settings.rejects ?? `${size === undefined ? "stdin" : file}.rejects.ndjson`;
    const rejectsPath = resolve(rejectsFile);
    using _rejects = isResumable ? await rejectsTurn(rejectsPath, note, interrupted) : undefined;
    const noted = checkpoint?.load();
    const valid = noted && (await stillValid(noted, destination, inDoubt));
    if (noted && !valid) note(`${whyInvalid(noted)}, so it starts over.`);
    const { start, before } = await resume(file, valid);
    const rejectsBytes = before?.rejectsPath === rejectsPath ? before.rejectsBytes : 0;
    const pace = new Pace(dryRun ? "Checking" : "Importing", size, start.bytes);
    const noteBelow = (text: string) => {
      pace.end();
      note(text);
    };
    using rejects = dryRun
      ? new ShownRejects(noteBelow)
      : await RejectsFile.open(rejectsPath, rejectsBytes, source, interrupted);
    const importer = new Importer({
      name,
      destination,
      checkpoint,
      before,
      reader: new AnimalReader(format, noteBelow),
      rejects,
      rejectsPath,
      inDoubt: before && !before.isDone && Date.now() - before.at > certainForMs ? (inDoubt ?? "ask") : undefined,
      onProgress: (bytes, animals) => pace.show(bytes, animals),
    });
    try {
      const pieces = untilAborted(piecesOf(file, start.bytes), interrupted);
      for await (const batch of batchesIn(pieces, format, destination.batchSize, start)) await importer.take(batch);
      await importer.finish();
    } catch (error) {
      await importer.settle();
      // Other errors tell themselves what became of the first batch.
      const isTold = importer.added > 0 || (importer.isInDoubt && error instanceof Interruption);
      if (dryRun || !isTold) throw error;
      const there = `${addedText(importer)} Run the same command again to continue.`;
      if (error instanceof ServiceError && error.cause !== undefined) {
        // Its message says of one batch that nothing was saved, and its exit code would say so of all.
        noteBelow(`The import is incomplete: ${error.cause}. ${there}`);
        return error.code === "ServiceUnavailable" ? exitCodes.unreachable : exitCodes.failure;
      }
      noteBelow(there);
      if (error instanceof ApiError) error.message = `A later request was refused: ${error.message}`;
      throw error;
    } finally {
      pace.end();
    }
    const { added, repeated, rejected, rejectsOfAll } = importer;
    const earlier = before?.added ?? 0;
    const known = repeated + earlier;
    const rejectsSeen = rejects.bytes > 0 ? rejectsPath : null;
    const animals = `${added} ${plural(added, "animal")}`;
    const text = [
      dryRun ? `${animals} could be added.` : `Added ${animals}.`,
      ...(known > 0 ? [`${known} had been added before.`] : []),
      ...(rejectsOfAll > 0 ? [`${linesText(rejectsOfAll)} rejected${rejectsSeen ? `: see ${rejectsFile}` : ""}.`] : []),
    ];
    await output.done(text.join(" "), { added, repeated, earlier, rejected, rejects: rejectsSeen, isDryRun: dryRun });
    return rejectsOfAll > 0 ? exitCodes.partial : exitCodes.success;
  },
});

/**
 * Imports of one file to several places have one file for what they reject, unless they are told otherwise. What comes by a pipe
 * waits for nobody: the other may be fed by the same program.
 */
async function rejectsTurn(
  path: string,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<Disposable | undefined> {
  // A device, or a pipe, is for everybody.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return undefined;
  const file = JSON.stringify(path);
  const text = `Another import writes to ${file}. Waiting for it to end; with another --rejects, both could run.`;
  return await takeFile(path, () => note(text), signal);
}

function addedText({ added, isInDoubt }: Importer): string {
  if (added === 0) return "It is not known whether any animals were added.";
  return `${isInDoubt ? "At least " : ""}${added} ${plural(added, "animal")} ${added === 1 ? "was" : "were"} added.`;
}

function linesText(count: number): string {
  return count === 1 ? "1 line was" : `${count} lines were`;
}

const standardInput = "-";

/** Shorter than the 24 hours for which a store knows what it was asked for, since its clock may be another. */
const certainForMs = 23 * 60 * 60 * 1000;

function found(file: string): Stats {
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) throw new SettingsError([`${resolve(file)} does not exist.`]);
  if (there.isDirectory()) throw new SettingsError([`${resolve(file)} is a folder.`]);
  return there;
}

/**
 * What was noted, unless the store was made anew since, or restored to an earlier state, or nothing tells whether it was. Then
 * everything is sent again, and the store itself knows which batches it has, unless that was too long ago. Throws Conflict if it
 * was and nobody has decided.
 */
async function stillValid(
  noted: Progress,
  destination: Destination,
  inDoubt: "add" | "skip" | undefined,
): Promise<Progress | undefined> {
  const isValid = noted.mark === undefined ? noted.added === 0 : await destination.knows(noted.mark);
  if (isValid) return noted;
  if (Date.now() - noted.begunAt <= certainForMs || inDoubt === "add") return undefined;
  if (inDoubt === "skip") return { ...noted, mark: undefined };
  throw new ServiceError(
    "Conflict",
    `${whyInvalid(noted)}, too long ago for the store to know which animals it has of lines 1 to ${noted.place.line - 1}. Run it again with --in-doubt add to add the whole file, or with --in-doubt skip to skip these lines.`,
  );
}

function whyInvalid({ mark }: Progress): string {
  return mark === undefined
    ? "This import was stopped before it could note which store it adds to"
    : "The store was replaced or restored since this import was run";
}

/** Where to go on, if the file is up to there what it was when it was read before; else at the beginning. */
async function resume(
  file: string,
  before: Progress | undefined,
): Promise<{ readonly start: Start; readonly before?: Progress }> {
  const hash = createHash("sha256");
  const beginning = { start: { hash, bytes: 0, line: 1 } };
  if (!before || found(file).size < before.place.bytes) return beginning;
  for await (const piece of createReadStream(file, { end: before.place.bytes - 1, highWaterMark })) hash.update(piece);
  if (hash.copy().digest("hex") === before.place.digest) return { start: { ...before.place, hash }, before };
  return { start: { ...beginning.start, hash: createHash("sha256") } };
}

function piecesOf(file: string, from: number): AsyncIterable<Uint8Array> {
  if (file === standardInput) return process.stdin;
  // A pipe has no place to begin at.
  return createReadStream(file, { ...(from > 0 && { start: from }), highWaterMark });
}

const highWaterMark = 256 * 1024;

/** Throws the reason of the signal as soon as it is aborted, also while nothing comes: a stream cannot be closed while it is read. */
async function* untilAborted<Piece>(pieces: AsyncIterable<Piece>, signal: AbortSignal): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await unlessAborted(iterator.next(), signal);
    if (done) return;
    yield value;
  }
}
