import { escapeControls } from "../../base/escape-controls.ts";
import { toJson } from "../../base/json.ts";
import { createPaint, type Paint } from "./style.ts";
import { type Column, formatFields, Table } from "./table.ts";

export class ClosedPipe extends Error {
  override readonly name = "ClosedPipe";
}

export class UnwritableOutput extends Error {
  override readonly name = "UnwritableOutput";
}

/**
 * Prints data on standard output, and all else on standard error. Data is a table on a terminal and JSON elsewhere, one object per line;
 * with --json every result is JSON. Methods that write data return the exit code of success, and throw UnwritableOutput or ClosedPipe. With
 * `ifLost`, which says what to do if a secret cannot be printed, ClosedPipe becomes UnwritableOutput.
 */
export class Output {
  readonly #isTerminal = Boolean(process.stdout.isTTY);
  readonly #paint = createPaint(this.#isTerminal);

  constructor(readonly isJson: boolean) {
    // Each write reports its own failure; without a listener, the event would end the program.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
  }

  get isForPeople(): boolean {
    return this.#isTerminal && !this.isJson;
  }

  /** Prints a text, such as a key; with --json the object that the text stands for. */
  async print(text: string, result: object, ifLost?: string): Promise<number> {
    return await this.#result(this.isJson ? toJson(result) : text, ifLost);
  }

  async printItem(item: object, columns: readonly Column[], ifLost?: string): Promise<number> {
    return await this.#result(this.isForPeople ? formatFields(item, columns, this.#terminal) : toJson(item), ifLost);
  }

  async printList(items: AsyncIterable<object> | Iterable<object>, columns: readonly Column[]): Promise<number> {
    if (!this.isForPeople) return await this.#jsonLines(items);
    const table = new Table(columns, this.#terminal);
    for await (const item of items) for (const line of table.add(item)) await this.write(`${line}\n`);
    for (const line of table.end()) await this.write(`${line}\n`);
    return table.isEmpty ? this.note("There are none.") : 0;
  }

  async printEntry(json: string, text: (paint: Paint) => string): Promise<number> {
    return await this.write(`${this.isForPeople ? text(this.#paint) : json}\n`);
  }

  async report(text: string, result: object): Promise<number> {
    return this.isJson ? await this.#result(toJson(result)) : this.note(text);
  }

  write(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (!error) return resolve(0);
        const Failure = (error as NodeJS.ErrnoException).code === "EPIPE" ? ClosedPipe : UnwritableOutput;
        reject(new Failure(`Standard output cannot be written to: ${error.message}.`));
      });
    });
  }

  /** Prints a message on standard error in one line. Line breaks, which file names may contain, are escaped. */
  note(text: string): number {
    process.stderr.write(`${escapeControls(text)}\n`);
    return 0;
  }

  /** Writes several lines at a time: a system call for each line would take longer than all other work. */
  async #jsonLines(items: AsyncIterable<object> | Iterable<object>): Promise<number> {
    let lines = "";
    for await (const item of items) {
      lines += `${toJson(item)}\n`;
      if (lines.length < maxBufferedLength) continue;
      await this.write(lines);
      lines = "";
    }
    return lines === "" ? 0 : await this.write(lines);
  }

  async #result(text: string, ifLost?: string): Promise<number> {
    try {
      return await this.write(`${text}\n`);
    } catch (error) {
      if (error instanceof ClosedPipe && ifLost === undefined) throw error;
      throw new UnwritableOutput(`${(error as Error).message} ${ifLost ?? "The command was carried out."}`);
    }
  }

  get #terminal() {
    return { width: process.stdout.columns || Number.POSITIVE_INFINITY, paint: this.#paint };
  }
}

const maxBufferedLength = 8_192;
