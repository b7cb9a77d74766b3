import { constants, rmSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
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
  add(rejects: readonly Reject[], readBytes: number): Promise<void>;
}

/**
 * A file with a JSON object per rejected line. A resumed import continues the file at its saved length. An empty file is removed. The
 * reasons for millions of short lines could fill the disk: once the file is about twice as large as the imported bytes, the rejects of a
 * batch share one line.
 */
export class RejectsFile implements Rejects {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly isRegular: boolean,
    public bytes: number,
    private readonly signal: AbortSignal,
  ) {}

  /** If the file is a pipe, opening and writing wait for a reader until the signal is aborted. */
  static async open(path: string, bytes: number, source: Stats | undefined, signal: AbortSignal): Promise<RejectsFile> {
    refuseOtherFiles(path, source);
    const opening = open(path, constants.O_WRONLY | constants.O_CREAT, 0o600).catch((error: Error) => {
      throw new SettingsError(`Rejected lines cannot be written to ${path}: ${error.message}.`);
    });
    const file = await unlessAborted(opening, signal);
    const stats = await file.stat();
    // Devices and pipes have no position to continue at.
    const start = stats.isFile() ? Math.min(bytes, stats.size) : 0;
    if (stats.isFile()) await file.truncate(start);
    return new RejectsFile(path, file, stats.isFile(), start, signal);
  }

  async add(rejects: readonly Reject[], readBytes: number): Promise<void> {
    if (rejects.length === 0) return;
    const separateLines = formatRejects(rejects);
    const isTooMuch = this.bytes + separateLines.length > alwaysAllowedBytes + 2 * readBytes;
    const data = isTooMuch ? formatRejects([combineRejects(rejects)]) : separateLines;
    for (let at = 0; at < data.length; ) {
      // Writes at an explicit position: a concurrent import of the same data writes the same lines, and appending would repeat them.
      const position = this.isRegular ? this.bytes + at : null;
      const writing = this.file.write(data, at, data.length - at, position).catch((error: Error) => {
        throw toUnwritableError(this.path, error);
      });
      at += (await unlessAborted(writing, this.signal)).bytesWritten;
    }
    this.bytes += data.length;
  }

  [Symbol.dispose](): void {
    // Not awaited, because a pending write to a full pipe may never end.
    this.file.close().catch(() => {});
    if (this.isRegular && this.bytes === 0) rmSync(this.path, { force: true });
  }
}

const alwaysAllowedBytes = 1024 * 1024;

function formatRejects(rejects: readonly Reject[]): Buffer {
  const lines = rejects.map(({ record, reason }) => toJson({ line: record.line, reason, record: record.text }));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function combineRejects(rejects: readonly Reject[]): Reject {
  const [first, last] = [rejects[0] as Reject, rejects.at(-1) as Reject];
  if (first === last) return first;
  const text = rejects.flatMap(({ record }) => record.text ?? []).join("\n");
  const reason = `${rejects.length} lines up to line ${last.record.line} are wrong. The first: ${first.reason}`;
  return { record: { line: first.record.line, text }, reason };
}

function refuseOtherFiles(path: string, source: Stats | undefined): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) return;
  refuseDatabase(resolveLinks(path));
  if (!stats) return;
  const isSource = source && stats.dev === source.dev && stats.ino === source.ino;
  if (!isSource && (stats.size === 0 || readStart(path, rejectStart.length).toString() === rejectStart)) return;
  throw new SettingsError(`${path} exists, and is not a file of rejected lines. Choose another with --rejects.`);
}

const rejectStart = '{"line":';

export class PrintedRejects implements Rejects {
  readonly bytes = 0;
  #remainingCount = 20;

  constructor(readonly note: (text: string) => void) {}

  async add(rejects: readonly Reject[]): Promise<void> {
    for (const { record, reason } of rejects) {
      if (this.#remainingCount > 0) this.note(`Line ${record.line}: ${reason}`);
      else if (this.#remainingCount === 0) this.note("There are more.");
      this.#remainingCount -= 1;
    }
  }

  [Symbol.dispose](): void {}
}
