import { join, resolve } from "node:path";
import type { SpawnOptions } from "bun";
import { Client, isCommittedDocumentServed } from "./client.ts";
import { temporaryFolder } from "./temporary.ts";
import { until } from "./wait.ts";

export const projectFolder = join(import.meta.dir, "../..");
export const mainFile = join(projectFolder, "src/main.ts");
export const launcherFile = join(projectFolder, "animal-store");
/** The flags that the launcher gives Bun, so that a `.env` in the project does not change the program under test. */
export const launcherFlags = ["--config=/dev/null", "--tsconfig-override=/dev/null", "--no-env-file", "--no-install"];
/** The environment variable with the path of the executable that the suite builds, which starts four times as fast as the sources. */
export const suiteProgramVariable = "TEST_PROGRAM";
const givenProgram = process.env["ANIMAL_STORE_PROGRAM"];
const executable = givenProgram ?? process.env[suiteProgramVariable];
/** The command of the program under test: the executable in ANIMAL_STORE_PROGRAM, the suite's executable, or the sources. */
export const programCommand: readonly string[] = executable
  ? [resolve(executable)]
  : [process.execPath, ...launcherFlags, mainFile];

export const programInShell = programCommand.map((part) => Bun.$.escape(part)).join(" ");
export const programKey = "a-key-for-programs-under-test";

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Environment variables; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly runtimeArgs?: readonly string[];
  readonly port?: string;
  /** The main file of another version of the program. */
  readonly main?: string;
  readonly ca?: string;
  readonly stdin?: string;
  /** The file descriptor for standard error. Default: a pipe. */
  readonly stderr?: number;
}

export async function runProgram(args: readonly string[], options: Omit<ProgramOptions, "args"> = {}) {
  return await collectOutcome(spawn(args, options));
}

export async function runCommand(
  command: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string | undefined>>; stdin?: Buffer } = {},
) {
  return await collectOutcome(
    Bun.spawn([...command], { env: process.env, ...options, stdout: "pipe", stderr: "pipe" }),
  );
}

/** Sends a signal, and returns the exit code once the process has ended. */
export async function endBySignal(child: Bun.Subprocess, name: NodeJS.Signals): Promise<number> {
  child.kill(name);
  return await child.exited;
}

async function collectOutcome(child: Bun.Subprocess<SpawnOptions.Writable, "pipe", "pipe">) {
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { stdout, stderr, exitCode };
}

export function failure(problem: string, exitCode = 2) {
  return { stdout: "", stderr: `animal-store: ${problem}\n`, exitCode };
}

export class RunningProgram implements AsyncDisposable {
  #folder: Disposable | undefined;
  path = "";

  private constructor(
    readonly child: ReturnType<typeof spawn>,
    readonly client: Client,
    /** The standard output up to the line that says that the service is ready. */
    readonly greeting: string,
    readonly stdout: LineReader,
  ) {}

  /** Starts the service on a SQLite file or a database URL, or without either on the database that the environment names. */
  static async start(
    database: string | undefined,
    { args = [], environment, ca, port = "0", ...rest }: ProgramOptions = {},
  ): Promise<RunningProgram> {
    const child = spawn(
      ["serve", "--port", port, ...(database === undefined ? [] : ["--database", toDatabaseUrl(database)]), ...args],
      {
        ...rest,
        environment: {
          ANIMAL_STORE_API_KEY: programKey,
          // Few connections, because PostgreSQL needs a process for each connection.
          DATABASE_POOL_SIZE: "4",
          // The log must not depend on the speed of the machine.
          SLOW_REQUEST: "600000",
          SLOW_STATEMENT: "600000",
          ...environment,
        },
      },
    );
    const stdout = new LineReader(child.stdout);
    // Released programs were built without HTML pages, so their greeting has no line about a browser.
    const greeting = await stdout.until(rest.main === undefined ? /in a browser/ : /is ready: /);
    const url = /https?:\S+(?=\/v1,)/.exec(greeting)?.[0];
    if (!url) throw new Error(`The program did not start: ${greeting}${await child.stderr.text()}`);
    // A preloaded library may change the clock, on which the served document depends.
    const isThisVersion = !givenProgram && rest.main === undefined && environment?.["LD_PRELOAD"] === undefined;
    const client = new Client(new URL(url), programKey, ca, isThisVersion && isCommittedDocumentServed());
    return new RunningProgram(child, client, greeting, stdout);
  }

  /** Starts the service on a new SQLite file at `path`, which is removed at the end. */
  static async startNew(options?: ProgramOptions): Promise<RunningProgram> {
    const folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    const program = await RunningProgram.start(path, options);
    program.#folder = folder;
    program.path = path;
    return program;
  }

  async signal(name: NodeJS.Signals): Promise<number> {
    return await endBySignal(this.child, name);
  }

  /** Returns the lines of the log once the program has ended. */
  async readLog() {
    return Array.from((await this.child.stderr.text()).split("\n").filter(Boolean), (line) => JSON.parse(line));
  }

  async readLogMessages(): Promise<string[]> {
    return (await this.readLog()).map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.signal("SIGKILL");
    this.#folder?.[Symbol.dispose]();
  }
}

function toDatabaseUrl(database: string): string {
  return /^(sqlite|postgres):/.test(database) ? database : `sqlite:${database}`;
}

export class LineReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the text up to the end of the first matching line, or of the stream. */
  async until(pattern: RegExp): Promise<string> {
    let text = "";
    for (;;) {
      const end = this.#rest.indexOf("\n") + 1;
      if (end > 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end);
        text += line;
        if (pattern.test(line.trimEnd())) return text;
        continue;
      }
      const { done, value } = await this.#chunks.next();
      if (done) return text + this.#rest;
      this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}

export function spawn(args: readonly string[], { stdin, stderr, ...options }: ProgramOptions = {}) {
  const { command, env } = buildCommand(args, options);
  return Bun.spawn(command, {
    cwd: projectFolder,
    env,
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: (stderr ?? "pipe") as "pipe",
  });
}

/** Starts the program in a shell on its own terminal. */
export function spawnOnTerminal(
  args: readonly string[],
  { columns = 80, ...options }: Omit<ProgramOptions, "stdin" | "stderr"> & { readonly columns?: number } = {},
) {
  const { command, env } = buildCommand(args, options);
  const decoder = new TextDecoder();
  let text = "";
  // The last line of the shell marks the end of the program's output, however late the terminal is read.
  const script = 'trap : INT; "$@"; echo "exit code $?"';
  const child = Bun.spawn(["sh", "-c", script, "sh", ...command], {
    cwd: projectFolder,
    env: { ...env, TERM: options.environment?.["TERM"] ?? "xterm" },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_, data) => {
        text += decoder.decode(data, { stream: true });
      },
    },
  });
  const shown = () => text.replaceAll("\r\n", "\n");
  return {
    shown,
    type: (typed: string) => child.terminal?.write(typed),
    /** Waits for the program to end. Returns the output, and the exit code that the shell prints. */
    async ended() {
      const end = /exit code (\d+)\n$/;
      await until(() => end.test(shown()));
      await child.exited;
      child.terminal?.close();
      return { shown: shown().replace(end, ""), exitCode: Number(end.exec(shown())?.[1]) };
    },
  };
}

function buildCommand(args: readonly string[], { environment = {}, runtimeArgs = [], main }: ProgramOptions) {
  // With --no-orphans, the program ends when the tests end. An executable reads the arguments of its runtime from BUN_OPTIONS.
  const runtime = ["--no-orphans", ...runtimeArgs];
  const [command, options] =
    executable && main === undefined
      ? [programCommand, { BUN_OPTIONS: runtime.join(" ") }]
      : [[process.execPath, ...launcherFlags, ...runtime, main ?? mainFile], {}];
  return { command: [...command, ...args], env: { ...process.env, ...options, ...environment } };
}
