export const logLevels = ["info", "warn", "error", "off"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  readonly level: Exclude<LogLevel, "off">;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Writes to standard error what is at or above a level: for people on a terminal, as lines of JSON otherwise. */
export class Log {
  readonly #format: (entry: LogEntry) => string;
  readonly #sink = Bun.stderr.writer();
  #lines = "";

  constructor(
    readonly lowest: LogLevel,
    toTerminal: boolean,
  ) {
    this.#format = toTerminal ? forPeople : forMachines;
  }

  write(level: LogEntry["level"], message: string, fields: LogEntry["fields"] = {}): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.lowest)) return;
    // The requests of one turn of the event loop share one write to the pipe or the terminal.
    if (this.#lines === "") setImmediate(() => this.flush());
    this.#lines += `${this.#format({ level, message, fields })}\n`;
  }

  /** A log that cannot be written, because nobody reads it or its disk is full, must not stop the service. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = "";
    try {
      this.#sink.write(lines);
      Promise.resolve(this.#sink.flush()).catch(() => {});
    } catch {}
  }
}

export function forMachines({ level, message, fields }: LogEntry): string {
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
}

export function forPeople({ level, message, fields }: LogEntry): string {
  const time = new Date().toTimeString().slice(0, 8);
  const { method, path, status, milliseconds, ...rest } = fields;
  const what = message === "request" ? `${status} ${method} ${path} in ${milliseconds} ms` : message;
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  return [time, level === "info" ? undefined : level.toUpperCase(), what, ...details].filter(Boolean).join("  ");
}
