import { harmless } from "../../base/harmless.ts";
import { toJson } from "../../base/json.ts";
import { type Paint, paintFor } from "./style.ts";
import { type Column, fieldLines, Table } from "./table.ts";

/** Nobody reads standard output any more, as after `| head -1`. */
export class ClosedPipe extends Error {
  override readonly name = "ClosedPipe";
}

/** What a command has done cannot be told on standard output, as on a full disk. */
export class UnwritableOutput extends Error {
  override readonly name = "UnwritableOutput";
}

/** What is printed only once: what was done for it, and what to do if nobody got to see it. */
export interface Secret {
  readonly done: string;
  readonly advice: string;
}

/**
 * Where a command tells what came of it: data on standard output, all else on standard error. Data is a table on a terminal
 * and JSON elsewhere, one object on a line; with --json everything that has a result is JSON, wherever it goes.
 * Every method that writes data throws ClosedPipe, unless it is a secret, and UnwritableOutput. It returns the exit code of
 * success.
 */
export class Output {
  readonly #isJson: boolean;
  readonly #isTerminal = Boolean(process.stdout.isTTY);
  readonly #paint = paintFor(this.#isTerminal);

  constructor(isJson: boolean) {
    this.#isJson = isJson;
    // Each write is told of its own failure.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
  }

  /** Whether --json was given. */
  get isJson(): boolean {
    return this.#isJson;
  }

  /** Whether people read the data, and not programs. */
  get isForPeople(): boolean {
    return this.#isTerminal && !this.#isJson;
  }

  /** A text that is the result, such as a key; with --json the object that it stands for. */
  async text(text: string, result: object, secret?: Secret): Promise<number> {
    return await this.#result(this.#isJson ? toJson(result) : text, secret);
  }

  /** One object. */
  async item(item: object, columns: readonly Column[], secret?: Secret): Promise<number> {
    return await this.#result(this.isForPeople ? fieldLines(item, columns, this.#look) : toJson(item), secret);
  }

  /** Objects that come one by one, of which any number takes the same memory. */
  async list(items: AsyncIterable<object> | Iterable<object>, columns: readonly Column[]): Promise<number> {
    if (!this.isForPeople) return await this.#lines(items);
    const table = new Table(columns, this.#look);
    for await (const item of items) for (const line of table.add(item)) await this.#line(line);
    for (const line of table.end()) await this.#line(line);
    if (table.isEmpty) this.note("There are none.");
    return 0;
  }

  /** One of the objects of a list that has no end, as it comes; `text` is what people see of it. */
  async entry(json: string, text: (paint: Paint) => string): Promise<number> {
    return await this.#line(this.isForPeople ? text(this.#paint) : json);
  }

  /** Something was done that has no data; with --json there is an object that says so. */
  async done(text: string, result: object): Promise<number> {
    if (this.#isJson) return await this.#result(toJson(result));
    return this.note(text);
  }

  /** Some of a text that is the result. */
  async piece(text: string): Promise<void> {
    await this.#write(text);
  }

  /** A remark for people, on standard error, in one line: line breaks in it, as file names may have, are escaped. */
  note(text: string): number {
    process.stderr.write(`${harmless(text)}\n`);
    return 0;
  }

  /** Some lines at a time, because a system call for each would take longer than all the rest. */
  async #lines(items: AsyncIterable<object> | Iterable<object>): Promise<number> {
    let waiting: string[] = [];
    let length = 0;
    for await (const item of items) {
      const line = toJson(item);
      waiting.push(line);
      length += line.length;
      if (length < charactersAtOnce) continue;
      await this.#line(waiting.join("\n"));
      waiting = [];
      length = 0;
    }
    return waiting.length > 0 ? await this.#line(waiting.join("\n")) : 0;
  }

  /** Of a command that is over. */
  async #result(text: string, secret?: Secret): Promise<number> {
    try {
      return await this.#line(text);
    } catch (error) {
      if (error instanceof ClosedPipe && !secret) throw error;
      const { done, advice } = { done: "The command was carried out", ...secret };
      const problem = `${done}, but the result could not be printed. ${(error as Error).message}`;
      throw new UnwritableOutput(advice ? `${problem} ${advice}` : problem);
    }
  }

  #line(text: string): Promise<number> {
    return this.#write(`${text}\n`);
  }

  #write(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (!error) return resolve(0);
        const isClosed = (error as NodeJS.ErrnoException).code === "EPIPE";
        reject(
          new (isClosed ? ClosedPipe : UnwritableOutput)(`Standard output cannot be written to: ${error.message}.`),
        );
      });
    });
  }

  get #look() {
    return { width: process.stdout.columns || Number.POSITIVE_INFINITY, paint: this.#paint };
  }
}

const charactersAtOnce = 8_192;
