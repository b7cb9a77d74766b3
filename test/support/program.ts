import { join, resolve } from "node:path";
import { Client, isCommittedServed } from "./client.ts";
import { temporaryFolder } from "./temporary.ts";
import { until } from "./wait.ts";

export const projectFolder = join(import.meta.dir, "../..");
export const mainFile = join(projectFolder, "src/main.ts");
export const launcherFile = join(projectFolder, "animal-store");
/** The flags that the launcher gives Bun, so that a `.env` in the project does not change the program under test. */
export const launcherFlags = ["--config=/dev/null", "--tsconfig-override=/dev/null", "--no-env-file", "--no-install"];
/** Where the suite tells the test processes the executable that it has made from the sources, which starts in a quarter of their time. */
export const suiteProgramVariable = "TEST_PROGRAM";
const foreign = process.env["ANIMAL_STORE_PROGRAM"];
const executable = foreign ?? process.env[suiteProgramVariable];
/** How the program under test is started: as the executable at the path in ANIMAL_STORE_PROGRAM, or that of the suite, or from its sources. */
export const programCommand: readonly string[] = executable
  ? [resolve(executable)]
  : [process.execPath, ...launcherFlags, mainFile];

/** The same, for the script of a shell. */
export const programInShell = programCommand.map((part) => Bun.$.escape(part)).join(" ");
export const programKey = "a-key-for-programs-under-test";

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly runtimeArgs?: readonly string[];
  /** The port of a service; any free one, unless it is to be where another has been. */
  readonly port?: string;
  /** The file of the program, if it is not that of this version. */
  readonly main?: string;
  /** The certificate that it is to be known by, if it speaks HTTPS. */
  readonly ca?: string;
  /** What it reads; nothing, unless a test says otherwise. */
  readonly stdin?: string;
  /** A file that standard error goes to, if it is not to be read from the program. */
  readonly stderr?: number;
}

/** Runs the program to its end. */
export async function runProgram(args: readonly string[], options: Omit<ProgramOptions, "args"> = {}) {
  const child = spawn(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { stdout, stderr, exitCode };
}

/** The service in a process of its own, started as users start it. */
export class RunningProgram implements AsyncDisposable {
  #folder: Disposable | undefined;

  private constructor(
    readonly child: ReturnType<typeof spawn>,
    readonly client: Client,
    /** What it printed until it was ready. */
    readonly greeting: string,
    readonly stdout: LineReader,
  ) {}

  /** On a SQLite file, or on the database at an address; or wherever the environment says. */
  static async start(
    database: string | undefined,
    { args = [], environment, ca, port = "0", ...rest }: ProgramOptions = {},
  ): Promise<RunningProgram> {
    const child = spawn(
      ["serve", "--port", port, ...(database === undefined ? [] : ["--database", addressOf(database)]), ...args],
      {
        ...rest,
        environment: {
          ANIMAL_STORE_API_KEY: programKey,
          // Each connection costs PostgreSQL a process.
          DATABASE_POOL_SIZE: "4",
          // On a machine that is slow enough, everything is; what is logged must not depend on it.
          SLOW_REQUEST: "600000",
          SLOW_STATEMENT: "600000",
          ...environment,
        },
      },
    );
    const stdout = new LineReader(child.stdout);
    // A kept program has no pages.
    const greeting = await stdout.until(rest.main === undefined ? /in a browser/ : /is ready: /);
    const url = /https?:\S+(?=\/v1,)/.exec(greeting)?.[0];
    if (!url) throw new Error(`The program did not start: ${greeting}${await child.stderr.text()}`);
    // What is loaded before the program may give it another clock.
    const isThisVersion = !foreign && rest.main === undefined && environment?.["LD_PRELOAD"] === undefined;
    const client = new Client(new URL(url), programKey, ca, isThisVersion && isCommittedServed());
    return new RunningProgram(child, client, greeting, stdout);
  }

  /** Starts the service on a new SQLite file, which is removed at the end. */
  static async startNew(options?: ProgramOptions): Promise<RunningProgram> {
    const folder = temporaryFolder();
    const program = await RunningProgram.start(join(folder.path, "animals.db"), options);
    program.#folder = folder;
    return program;
  }

  /** Returns the exit code. */
  async signal(name: NodeJS.Signals): Promise<number> {
    this.child.kill(name);
    return await this.child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.signal("SIGKILL");
    this.#folder?.[Symbol.dispose]();
  }
}

function addressOf(database: string): string {
  return /^(sqlite|postgres):/.test(database) ? database : `sqlite:${database}`;
}

/** Reads a stream line by line, as far as it is asked to. */
export class LineReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Everything up to and including the line that matches, or up to the end. */
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

/** Starts the program, for a test that does not let it run to its end. */
export function spawn(args: readonly string[], { stdin, stderr, ...options }: ProgramOptions = {}) {
  const { command, env } = startOf(args, options);
  return Bun.spawn(command, {
    cwd: projectFolder,
    env,
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: (stderr ?? "pipe") as "pipe",
  });
}

/** The program on a terminal of its own, of 80 columns unless a test says otherwise, run by a shell. */
export function spawnOnTerminal(
  args: readonly string[],
  { columns = 80, ...options }: Omit<ProgramOptions, "stdin" | "stderr"> & { readonly columns?: number } = {},
) {
  const { command, env } = startOf(args, options);
  const decoder = new TextDecoder();
  let text = "";
  // What the shell writes at the end comes after all that the program has shown, however late the terminal is read.
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
    /** Types something, as a person would. */
    type: (typed: string) => child.terminal?.write(typed),
    /** Everything, and the exit code as a shell has it. */
    async ended() {
      const end = /exit code (\d+)\n$/;
      await until(() => end.test(shown()));
      await child.exited;
      child.terminal?.close();
      return { shown: shown().replace(end, ""), exitCode: Number(end.exec(shown())?.[1]) };
    },
  };
}

function startOf(args: readonly string[], { environment = {}, runtimeArgs = [], main }: ProgramOptions) {
  // It ends with the tests, however these are ended. An executable takes the arguments of its runtime from the environment.
  const runtime = ["--no-orphans", ...runtimeArgs];
  const [command, options] =
    executable && main === undefined
      ? [programCommand, { BUN_OPTIONS: runtime.join(" ") }]
      : [[process.execPath, ...launcherFlags, ...runtime, main ?? mainFile], {}];
  return { command: [...command, ...args], env: { ...process.env, ...options, ...environment } };
}
