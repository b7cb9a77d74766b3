import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  open,
  rmSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { readStart, resolveLinks } from "../../base/files.ts";
import { toJson } from "../../base/json.ts";
import { SettingsError } from "../../config.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import type { RawRecord } from "./batches.ts";
import { refuseDatabase, toUnwritableError } from "./sink.ts";

export interface Reject {
  readonly record: RawRecord;
  readonly reason: string;
}

export interface Rejects extends Disposable {
  readonly bytes: number;
  /** `readBytes` is the number of bytes that the import has read so far. */
  add(rejects: readonly Reject[], readBytes: number): Promise<void>;
}

/**
 * A file with a JSON object per rejected line. A resumed import continues the file at its saved length. An empty file is removed. The
 * reasons for millions of short lines could fill the disk: once the file is about twice as large as the imported bytes, the rejects of a
 * batch share one line.
 */
export class RejectsFile implements Rejects {
  readonly #isRegular: boolean;
  bytes: number;

  private constructor(
    private readonly path: string,
    private readonly file: number,
    bytes: number,
    private readonly signal: AbortSignal,
  ) {
    const stats = fstatSync(file);
    // Devices and pipes have no position to continue at.
    this.#isRegular = stats.isFile();
    this.bytes = this.#isRegular ? Math.min(bytes, stats.size) : 0;
    if (this.#isRegular) ftruncateSync(file, this.bytes);
  }

  /**
   * Opens a file; if it is a pipe, opening and writing wait for a reader until the signal is aborted. Throws SettingsError if the file is
   * unwritable or has other content, such as the imported file.
   */
  static async open(path: string, bytes: number, source: Stats | undefined, signal: AbortSignal): Promise<RejectsFile> {
    refuseOtherFiles(path, source);
    const opened = openFile(path, constants.O_WRONLY | constants.O_CREAT, 0o600).catch((error: Error) => {
      throw new SettingsError(`Rejected lines cannot be written to ${resolve(path)}: ${error.message}.`);
    });
    return new RejectsFile(path, await unlessAborted(opened, signal), bytes, signal);
  }

  async add(rejects: readonly Reject[], readBytes: number): Promise<void> {
    if (rejects.length === 0) return;
    const separateLines = format(rejects);
    const isTooMuch = this.bytes + separateLines.length > alwaysAllowedBytes + 2 * readBytes;
    const data = isTooMuch ? format([combine(rejects)]) : separateLines;
    try {
      for (let at = 0; at < data.length; ) at += await this.#write(data, at);
    } catch (error) {
      throw this.signal.aborted ? error : toUnwritableError(this.path, error as Error);
    }
    this.bytes += data.length;
  }

  async #write(data: Buffer, at: number): Promise<number> {
    const left = data.length - at;
    // Writes at an explicit position, because a concurrent import of the same data writes the same lines there, which must not be appended.
    if (this.#isRegular) return writeSync(this.file, data, at, left, this.bytes + at);
    return (await unlessAborted(writeToPipe(this.file, data, at, left), this.signal)).bytesWritten;
  }

  [Symbol.dispose](): void {
    closeSync(this.file);
    if (this.#isRegular && this.bytes === 0) rmSync(this.path, { force: true });
  }
}

const openFile = promisify(open);
const writeToPipe = promisify(write);

const alwaysAllowedBytes = 1024 * 1024;

function format(rejects: readonly Reject[]): Buffer {
  const lines = rejects.map(({ record, reason }) => toJson({ line: record.line, reason, record: record.text }));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function combine(rejects: readonly Reject[]): Reject {
  const [first, last] = [rejects[0] as Reject, rejects.at(-1) as Reject];
  if (first === last) return first;
  const text = rejects.flatMap(({ record }) => record.text ?? []).join("\n");
  const reason = `${rejects.length} lines up to line ${last.record.line} are wrong. The first: ${first.reason}`;
  return { record: { line: first.record.line, text }, reason };
}

/** Throws SettingsError for a file of a database, and for any other existing file, unless it is empty or contains rejected lines. */
function refuseOtherFiles(path: string, source: Stats | undefined): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) return;
  refuseDatabase(resolveLinks(path));
  if (!stats) return;
  if (source && stats.dev === source.dev && stats.ino === source.ino) {
    throw new SettingsError(`${resolve(path)} is the file to import. Choose another file for --rejects.`);
  }
  if (stats.size > 0 && readStart(path, rejectStart.length).toString() !== rejectStart) {
    throw new SettingsError(
      `${resolve(path)} exists, and is not a file of rejected lines. Remove it, or choose another file with --rejects.`,
    );
  }
}

const rejectStart = '{"line":';

/** Prints the first rejects as messages, and writes no file. */
export class ShownRejects implements Rejects {
  readonly bytes = 0;
  #left = maxShown;

  constructor(readonly note: (text: string) => void) {}

  async add(rejects: readonly Reject[]): Promise<void> {
    for (const { record, reason } of rejects.slice(0, this.#left)) this.note(`Line ${record.line}: ${reason}`);
    if (rejects.length > this.#left && this.#left > 0) this.note("There are more.");
    this.#left = Math.max(0, this.#left - rejects.length);
  }

  [Symbol.dispose](): void {}
}

const maxShown = 20;
