import { openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Client } from "./client.ts";
import { HaProxy } from "./haproxy.ts";
import { PgBouncer } from "./pgbouncer.ts";
import { PostgresServer } from "./postgres.ts";
import { programKey, RunningProgram } from "./program.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { until } from "./wait.ts";

/** A complete deployment: a primary, two synchronous standbys, two instances, and HAProxy in front. */
export class Deployment implements AsyncDisposable {
  private constructor(
    readonly primary: PostgresServer,
    readonly standbys: readonly [PostgresServer, PostgresServer],
    readonly instances: readonly [RunningProgram, RunningProgram],
    readonly proxy: HaProxy,
    readonly folder: string,
    readonly resources: AsyncDisposableStack,
  ) {}

  /** With `isPooled`, each server is behind its own PgBouncer. */
  static async start(args: readonly string[] = [], { isPooled = false } = {}): Promise<Deployment> {
    await using resources = new AsyncDisposableStack();
    const folder = makeTemporaryFolder("deployment");
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const { primary, standbys } = await PostgresServer.startCluster(["north", "south"], { wal_sender_timeout: "5s" });
    for (const server of [primary, ...standbys]) resources.use(server);
    const [north, south] = standbys as [PostgresServer, PostgresServer];
    const urls: string[] = [];
    for (const server of [primary, north, south]) {
      urls.push(isPooled ? resources.use(await PgBouncer.start(server)).urlThrough(server.url) : server.url);
    }
    const hosts = urls.map((url) => new URL(url).host).join(",");
    const startInstance = async (log: string) =>
      resources.use(
        await RunningProgram.start(`postgres://postgres:secret@${hosts}/postgres`, {
          args: [
            // Every server may become the primary or a standby.
            ...urls.flatMap((url) => ["--replica", url]),
            ...["--trusted-proxy", "127.0.0.1", "--drain-delay", "3", ...args],
          ],
          stderr: openSync(join(folder, log), "a"),
        }),
      );
    const instances = [await startInstance("one.log"), await startInstance("two.log")] as const;
    const proxy = resources.use(await HaProxy.start([instances[0].client.url, instances[1].client.url]));
    for (const backend of ["reads", "events", "writes"] as const) await proxy.until(2, backend);
    return new Deployment(primary, [north, south], instances, proxy, folder, resources.move());
  }

  client(key = programKey): Client {
    return new Client(this.proxy.url, key);
  }

  logLines(): string[] {
    return ["one.log", "two.log"].flatMap((file) =>
      readFileSync(join(this.folder, file), "utf8").split("\n").filter(Boolean),
    );
  }

  /** Sends reads until each of these standbys has served at least ten reads. */
  async untilReadFrom(...standbys: readonly PostgresServer[]): Promise<void> {
    for (const standby of standbys) {
      // All checks share a connection, because opening a connection costs more than many reads.
      await using sql = new SQL({ url: standby.url, max: 1 });
      const readsBefore = await countReads(sql);
      await until(async () => {
        await Promise.all(this.instances.map(({ client }) => client.call("/v1/pets?limit=1")));
        return (await countReads(sql)) >= readsBefore + 10;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Resumes frozen servers, because a frozen process does not handle the signal to stop.
    for (const server of [this.primary, ...this.standbys]) server.signalAll("SIGCONT");
    await this.resources.disposeAsync();
  }
}

async function countReads(standby: SQL): Promise<number> {
  const [row] = await standby<{ reads: string }[]>`
    SELECT coalesce(sum(idx_scan), 0) AS reads FROM pg_stat_all_tables WHERE relname = 'pets'`;
  return Number(row?.reads);
}
