import { escapeControls, escapeControlsInLines } from "../base/escape-controls.ts";
import { formatTime } from "../base/format-time.ts";

export const logLevels = ["debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  readonly level: Exclude<LogLevel, "off">;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class Log {
  readonly #sink = Bun.stderr.writer();
  readonly #initialIndex: number;
  #minIndex: number;
  #lines = "";
  #isWriting = false;
  #droppedCount = 0;

  constructor(
    minLevel: LogLevel,
    readonly isForPeople: boolean,
  ) {
    this.#initialIndex = this.#minIndex = logLevels.indexOf(minLevel);
  }

  /** Switches between debug and the initial level, or info if the initial level is debug. */
  toggleDebug(): void {
    const [debugIndex, infoIndex] = [logLevels.indexOf("debug"), logLevels.indexOf("info")];
    const nextIndex = this.#minIndex === debugIndex ? Math.max(this.#initialIndex, infoIndex) : debugIndex;
    // Logged at the debug level, because a higher level might drop this entry.
    this.#minIndex = debugIndex;
    this.write("info", "the log level was changed by a signal", { logLevel: logLevels[nextIndex] });
    this.#minIndex = nextIndex;
  }

  isEnabled(level: LogEntry["level"]): boolean {
    return logLevels.indexOf(level) >= this.#minIndex;
  }

  write(level: LogEntry["level"], message: string, fields: LogEntry["fields"] = {}): void {
    if (!this.isEnabled(level)) return;
    const entry = { level, message, fields };
    this.writeLine(this.isForPeople ? formatForPeople(entry) : formatAsJson(entry));
  }

  /** Lines that closely follow each other share one write. While standard error is blocked, lines beyond a limit are dropped and counted. */
  writeLine(line: string): void {
    if (this.#lines.length > maxWaitingBytes) {
      this.#droppedCount++;
      return;
    }
    if (this.#lines === "" && !this.#isWriting) setTimeout(() => this.flush(), maxWriteDelayMs);
    this.#lines += `${line}\n`;
    if (this.#lines.length > maxWriteBytes) this.flush();
  }

  flush(): void {
    if (this.#isWriting || this.#lines === "") return;
    const lines = this.#lines;
    this.#lines = "";
    try {
      this.#sink.write(lines);
      const flushed = this.#sink.flush();
      if (!(flushed instanceof Promise)) return;
      this.#isWriting = true;
      flushed.then(this.#resume, this.#resume);
    } catch {
      // A closed pipe or a full disk must not stop the service.
    }
  }

  readonly #resume = (): void => {
    this.#isWriting = false;
    const count = this.#droppedCount;
    this.#droppedCount = 0;
    this.flush();
    if (count > 0) this.write("warn", "log lines were dropped, because standard error was blocked", { count });
  };
}

/** Too short for a person watching the log to notice, and long enough to combine very many lines. */
export const maxWriteDelayMs = 20;
const maxWriteBytes = 64 * 1024;
export const maxWaitingBytes = 1024 * 1024;

export function formatAsJson({ level, message, fields }: LogEntry): string {
  return escapeControls(JSON.stringify({ time: formatTime(Date.now()), level, message, ...fields }));
}

export function formatForPeople({ level, message, fields }: LogEntry): string {
  const time = new Date().toTimeString().slice(0, 8);
  const { method, path, status, milliseconds, ...rest } = fields;
  const text = message === "request" ? `${status} ${method} ${path} in ${milliseconds} ms` : message;
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => formatField(name, value));
  return [time, level === "info" ? undefined : level.toUpperCase(), escapeControls(text), ...details]
    .filter(Boolean)
    .join("  ");
}

/** Escapes line breaks, except in a cause: the lines of its stack are indented, so that none looks like another log entry. */
function formatField(name: string, value: unknown): string {
  const text = `${name}=${value}`;
  return name === "cause" ? escapeControlsInLines(text).replace(/\n(?! )/g, "\n    ") : escapeControls(text);
}
