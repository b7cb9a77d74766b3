import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { findProgram, readGuideBlock } from "./external-program.ts";
import { findFreePort, prepareUser } from "./postgres.ts";
import { isRunning, listChildren } from "./processes.ts";
import { MovableAddress } from "./tcp-proxy.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { until } from "./wait.ts";

const [patroniPath, etcdPath] = [findProgram("patroni"), findProgram("etcd")];
const postgresFolder = findPostgresFolder();

/** The reason to skip tests that need Patroni; undefined if all that it needs is installed. */
export const patroniSkipReason =
  patroniPath && etcdPath && postgresFolder
    ? undefined
    : "there is no Patroni with etcd and PostgreSQL here: install patroni, etcd-server, python3-etcd, python3-psycopg2 and postgresql (Debian's packages)";

type Process = "patroni" | "postgres";

/** Three servers under Patroni, each of which replicates from the leader through a connection that a test can cut, and an etcd. */
export class PatroniCluster implements AsyncDisposable {
  private constructor(
    readonly members: readonly PatroniMember[],
    readonly etcd: ChildProcess,
    private readonly started: AsyncDisposableStack,
  ) {}

  static async start(): Promise<PatroniCluster> {
    await using started = new AsyncDisposableStack();
    const folder = makeTemporaryFolder("patroni");
    started.defer(() => fs.rmSync(folder, { recursive: true, force: true }));
    const user = prepareUser(folder);
    const start = (name: string, program: string, args: readonly string[]) => {
      const log = fs.openSync(join(folder, `${name}.log`), "a");
      return spawn(program, args, { ...user, stdio: ["ignore", log, log], cwd: folder });
    };
    const [clientUrl, peerUrl] = [
      `http://127.0.0.1:${await findFreePort()}`,
      `http://127.0.0.1:${await findFreePort()}`,
    ];
    const etcdFlags = {
      name: "etcd",
      "data-dir": join(folder, "etcd"),
      "enable-v2": "true",
      "listen-client-urls": clientUrl,
      "advertise-client-urls": clientUrl,
      "listen-peer-urls": peerUrl,
      "initial-advertise-peer-urls": peerUrl,
      "initial-cluster": `etcd=${peerUrl}`,
    };
    const flags = Object.entries(etcdFlags).map(([name, value]) => `--${name}=${value}`);
    const etcdProcess = start("etcd", etcdPath ?? "", flags);
    started.defer(() => killAll([etcdProcess.pid ?? 0]));
    await until(() => isOk(`${clientUrl}/health`));
    const members: PatroniMember[] = [];
    for (const name of ["one", "two", "three"]) {
      members.push(started.use(await PatroniMember.start(name, folder, new URL(clientUrl).host, start)));
      // The first member becomes the leader before the other members start, so they copy its data.
      if (members.length === 1) await until(async () => (await members[0]?.role()) === "leader");
    }
    const cluster = new PatroniCluster(members, etcdProcess, started.move());
    await cluster.untilHealthy();
    return cluster;
  }

  async leader(): Promise<PatroniMember> {
    const member = (await this.byRole("leader"))[0];
    if (!member) throw new Error("The cluster has no leader.");
    return member;
  }

  async byRole(role: string): Promise<PatroniMember[]> {
    const roles = await Promise.all(this.members.map((member) => member.role()));
    return this.members.filter((_, index) => roles[index] === role);
  }

  /** Waits for a leader and two synchronous standbys. */
  async untilHealthy(): Promise<void> {
    await until(
      async () => (await this.byRole("sync_standby")).length === 2 && (await this.byRole("leader")).length === 1,
    );
  }

  /** Waits until another member is the leader and can commit, which requires its synchronous standbys. */
  async untilReplaced(former: PatroniMember): Promise<void> {
    await until(async () => {
      const successor = (await this.byRole("leader")).find((member) => member !== former);
      return (await successor?.canCommit()) ?? false;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.etcd.kill("SIGCONT");
    await this.started.disposeAsync();
  }
}

export class PatroniMember implements AsyncDisposable {
  #process: ChildProcess | undefined;

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly apiUrl: string,
    /** The address through which other members replicate from this member. */
    readonly replication: MovableAddress,
    private readonly folder: string,
    private readonly spawnPatroni: () => ChildProcess,
  ) {}

  static async start(
    name: string,
    folder: string,
    etcdHost: string,
    start: (name: string, program: string, args: readonly string[]) => ChildProcess,
  ): Promise<PatroniMember> {
    const [port, apiPort] = [await findFreePort(), await findFreePort()];
    const replication = await MovableAddress.to(port);
    const file = join(folder, `${name}.json`);
    const api = `127.0.0.1:${apiPort}`;
    // JSON is YAML, too.
    fs.writeFileSync(file, JSON.stringify(createConfiguration(name, folder, etcdHost, api, port, replication.port)));
    const member = new PatroniMember(name, port, `http://${api}`, replication, folder, () =>
      start(name, patroniPath ?? "", [file]),
    );
    member.restart();
    return member;
  }

  /** Starts Patroni again after `kill`. */
  restart(): void {
    this.#process = this.spawnPatroni();
  }

  /** Returns this member's role according to its own Patroni; undefined if the member is not running or does not respond. */
  async role(): Promise<string | undefined> {
    const response = await fetch(`${this.apiUrl}/cluster`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    const { members = [] } = ((await response?.json().catch(() => undefined)) ?? {}) as ClusterStatus;
    const ownStatus = members.find(({ name }) => name === this.name);
    return ownStatus?.state === "running" || ownStatus?.state === "streaming" ? ownStatus.role : undefined;
  }

  async canCommit(): Promise<boolean> {
    await using sql = new SQL({ url: this.url, max: 1, connectionTimeout: 1 });
    const write = sql`SELECT pg_logical_emit_message(true, 'test', '')`.then(
      () => true,
      () => false,
    );
    return await Promise.race([write, Bun.sleep(1_000).then(() => false)]);
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Asks Patroni to make another member the leader. */
  async switchOver(): Promise<void> {
    await until(async () => {
      const body = JSON.stringify({ leader: this.name });
      return (await fetch(`${this.apiUrl}/switchover`, { method: "POST", body })).ok;
    });
  }

  /** Sends a signal to the given programs; by default to both, like a fault of the whole machine. Returns the process ids. */
  signal(name: NodeJS.Signals, ...processes: readonly Process[]): number[] {
    const all = processes.length === 0 ? (["patroni", "postgres"] as const) : processes;
    const pids = all
      .flatMap((one) => (one === "patroni" ? [this.#process?.pid ?? 0] : this.#serverPids()))
      .filter(Boolean);
    for (const pid of pids) sendSignal(pid, name);
    return pids;
  }

  async kill(): Promise<void> {
    const pids = this.signal("SIGKILL");
    await until(() => !pids.some(isRunning));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.replication[Symbol.dispose]();
    await this.kill();
  }

  #serverPids(): number[] {
    const file = join(this.folder, this.name, "postmaster.pid");
    const pid = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split("\n")[0]) : 0;
    return pid && isRunning(pid) ? [pid, ...listChildren(pid)] : [];
  }
}

interface ClusterStatus {
  readonly members?: readonly { readonly name: string; readonly role: string; readonly state: string }[];
}

/** Returns the configuration of the guide, with the addresses and folders of a member, and without passwords. */
function createConfiguration(
  name: string,
  folder: string,
  etcdHost: string,
  api: string,
  port: number,
  replicationPort: number,
): Record<string, unknown> {
  const guide = Bun.YAML.parse(readGuideBlock("patroni.md", /^```yaml\n([^`]*)```$/m)) as GuideConfiguration;
  const withoutPasswords = Object.entries(guide.postgresql.authentication).map(([role, { username }]) => [
    role,
    { username },
  ]);
  return {
    ...guide,
    name,
    restapi: { listen: api, connect_address: api },
    etcd: { host: etcdHost },
    postgresql: {
      ...guide.postgresql,
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${replicationPort}`,
      data_dir: join(folder, name),
      bin_dir: postgresFolder,
      pgpass: join(folder, `${name}.pgpass`),
      pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
      authentication: Object.fromEntries(withoutPasswords),
      parameters: { unix_socket_directories: folder },
    },
  };
}

interface GuideConfiguration {
  readonly postgresql: { readonly authentication: Readonly<Record<string, { readonly username: string }>> };
}

/** Returns the folder of the programs of the newest PostgreSQL server, where Debian installs them; undefined if there is none. */
function findPostgresFolder(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = fs.existsSync(root) ? fs.readdirSync(root).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, "bin")).find((folder) => fs.existsSync(join(folder, "initdb")));
}

async function isOk(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) sendSignal(pid, "SIGKILL");
  await until(() => !pids.some(isRunning));
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
