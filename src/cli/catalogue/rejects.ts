import { appendFileSync, rmSync, truncateSync } from "node:fs";
import { toJson } from "../../base/json.ts";
import type { RawRecord } from "./batches.ts";

/** A record that is not added. */
export interface Reject {
  readonly record: RawRecord;
  readonly reason: string;
}

/** Where rejects go. */
export interface Rejects {
  /** How many bytes were written. */
  readonly bytes: number;
  add(rejects: readonly Reject[]): void;
}

/** A file with an object on each line, which is there only if there are any. It goes on after so many bytes, written before. */
export class RejectsFile implements Rejects {
  readonly path: string;
  bytes: number;

  constructor(path: string, bytes: number) {
    this.path = path;
    this.bytes = bytes;
    if (bytes > 0) truncateSync(path, bytes);
    else rmSync(path, { force: true });
  }

  add(rejects: readonly Reject[]): void {
    if (rejects.length === 0) return;
    const lines = rejects.map(({ record, reason }) => toJson({ line: record.line, reason, record: record.text }));
    const data = Buffer.from(`${lines.join("\n")}\n`);
    appendFileSync(this.path, data);
    this.bytes += data.length;
  }
}

/** Shows the first of them to people, and writes nothing. */
export class ShownRejects implements Rejects {
  readonly bytes = 0;
  #left = mostShown;

  constructor(readonly note: (text: string) => void) {}

  add(rejects: readonly Reject[]): void {
    for (const { record, reason } of rejects.slice(0, this.#left)) this.note(`Line ${record.line}: ${reason}`);
    if (rejects.length > this.#left && this.#left > 0) this.note("There are more.");
    this.#left = Math.max(0, this.#left - rejects.length);
  }
}

const mostShown = 20;
