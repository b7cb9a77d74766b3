import { escapeControls, escapeControlsInLines } from "../base/escape-controls.ts";
import { formatTime } from "../base/format-time.ts";

export const logLevels = ["debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  readonly level: Exclude<LogLevel, "off">;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Writes to standard error what is at or above a level: for people on a terminal, as lines of JSON otherwise. */
export class Log {
  readonly #sink = Bun.stderr.writer();
  readonly #defaultIndex: number;
  #lowestIndex: number;
  #lines = "";
  #isWriting = false;
  #dropped = 0;

  constructor(
    lowest: LogLevel,
    readonly isForPeople: boolean,
  ) {
    this.#defaultIndex = this.#lowestIndex = logLevels.indexOf(lowest);
  }

  /** Goes on with everything, or with what it began with if that is so already. Of a log that began so, with what is usual. */
  toggleDebug(): void {
    const [debugIndex, infoIndex] = [logLevels.indexOf("debug"), logLevels.indexOf("info")];
    const quieterIndex = Math.max(this.#defaultIndex, infoIndex);
    const next = this.#lowestIndex === debugIndex ? quieterIndex : debugIndex;
    // The line is written while everything is, since a quieter log would not take it.
    this.#lowestIndex = debugIndex;
    this.write("info", "the log level was changed by a signal", { logLevel: logLevels[next] });
    this.#lowestIndex = next;
  }

  /** Whether what is of that level is written at all. */
  takes(level: LogEntry["level"]): boolean {
    return logLevels.indexOf(level) >= this.#lowestIndex;
  }

  write(level: LogEntry["level"], message: string, fields: LogEntry["fields"] = {}): void {
    if (!this.takes(level)) return;
    const entry = { level, message, fields };
    this.writeLine(this.isForPeople ? forPeople(entry) : forMachines(entry));
  }

  /**
   * A line that is written already. Lines that come close together share one write to the pipe, the file or the terminal.
   * While that takes nothing, because nobody reads it, a bounded number waits, and the rest is dropped and counted.
   */
  writeLine(line: string): void {
    if (this.#lines.length > maxWaitingBytes) {
      this.#dropped++;
      return;
    }
    if (this.#lines === "" && !this.#isWriting) setTimeout(() => this.flush(), maxWriteDelayMs);
    this.#lines += `${line}\n`;
    if (this.#lines.length > maxWriteBytes) this.flush();
  }

  /** A log that cannot be written, because nobody reads it or its disk is full, must not stop the service. */
  flush(): void {
    if (this.#isWriting || this.#lines === "") return;
    const lines = this.#lines;
    this.#lines = "";
    try {
      this.#sink.write(lines);
      const flushed = this.#sink.flush();
      if (!(flushed instanceof Promise)) return;
      this.#isWriting = true;
      flushed.then(this.#goOn, this.#goOn);
    } catch {}
  }

  /** Somebody reads again, or never will. */
  readonly #goOn = (): void => {
    this.#isWriting = false;
    const count = this.#dropped;
    this.#dropped = 0;
    this.flush();
    if (count > 0) this.write("warn", "lines of the log were dropped, because nobody read them", { count });
  };
}

/** Too short for a person watching the log to notice, and long enough for very many lines. */
export const maxWriteDelayMs = 20;
const maxWriteBytes = 64 * 1024;
export const maxWaitingBytes = 1024 * 1024;

export function forMachines({ level, message, fields }: LogEntry): string {
  return escapeControls(JSON.stringify({ time: formatTime(Date.now()), level, message, ...fields }));
}

export function forPeople({ level, message, fields }: LogEntry): string {
  const time = new Date().toTimeString().slice(0, 8);
  const { method, path, status, milliseconds, ...rest } = fields;
  const what = message === "request" ? `${status} ${method} ${path} in ${milliseconds} ms` : message;
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    // Only a cause may have lines of its own, those of a stack, and none may look like another line of the log.
    .map(([name, value]) =>
      name === "cause"
        ? escapeControlsInLines(`${name}=${value}`).replace(/\n(?! )/g, "\n    ")
        : escapeControls(`${name}=${value}`),
    );
  return [time, level === "info" ? undefined : level.toUpperCase(), escapeControls(what), ...details]
    .filter(Boolean)
    .join("  ");
}
