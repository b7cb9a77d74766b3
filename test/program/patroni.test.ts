import { expect } from "bun:test";
import { openSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Client } from "../support/client.ts";
import { testUnless } from "../support/conditional-test.ts";
import { HaProxy, haProxySkipReason } from "../support/haproxy.ts";
import { readContinuously, WriteLoad } from "../support/load.ts";
import { PatroniCluster, type PatroniMember, patroniSkipReason } from "../support/patroni.ts";
import { programKey, RunningProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

interface Fault {
  readonly name: string;
  /** Causes the fault, and returns once writes may succeed again. */
  cause(cluster: PatroniCluster): Promise<void>;
  heal?(cluster: PatroniCluster): Promise<void>;
}

let faultyLeader: PatroniMember;
let faultyStandby: PatroniMember;

const faults: readonly Fault[] = [
  {
    name: "a switchover",
    async cause(cluster) {
      const leader = await cluster.leader();
      await leader.switchOver();
      await cluster.untilReplaced(leader);
    },
  },
  {
    name: "the loss of the leader",
    async cause(cluster) {
      faultyLeader = await cluster.leader();
      await faultyLeader.kill();
      await cluster.untilReplaced(faultyLeader);
    },
    heal: async () => faultyLeader.restart(),
  },
  {
    name: "a frozen leader",
    async cause(cluster) {
      faultyLeader = await cluster.leader();
      faultyLeader.signal("SIGSTOP");
      await cluster.untilReplaced(faultyLeader);
    },
    heal: async () => void faultyLeader.signal("SIGCONT"),
  },
  {
    name: "a frozen standby",
    async cause(cluster) {
      faultyStandby = await getSynchronousStandby(cluster);
      faultyStandby.signal("SIGSTOP");
      await until(async () => await (await cluster.leader()).canCommit());
    },
    heal: async () => void faultyStandby.signal("SIGCONT"),
  },
  {
    name: "the loss of a standby",
    async cause(cluster) {
      faultyStandby = await getSynchronousStandby(cluster);
      await faultyStandby.kill();
      await until(async () => await (await cluster.leader()).canCommit());
    },
    heal: async () => faultyStandby.restart(),
  },
  {
    name: "a frozen etcd",
    async cause(cluster) {
      cluster.etcd.kill("SIGSTOP");
      // Exceeds the time after which a leader without failsafe_mode would step down.
      await Bun.sleep(25_000);
    },
    heal: async (cluster) => void cluster.etcd.kill("SIGCONT"),
  },
  {
    name: "cut replication",
    async cause(cluster) {
      faultyLeader = await cluster.leader();
      faultyLeader.replication.moveTo(0);
      await until(async () => (await cluster.byRole("sync_standby")).length === 0);
    },
    heal: async () => faultyLeader.replication.moveTo(faultyLeader.port),
  },
  {
    name: "a long-running query on a standby",
    async cause(cluster) {
      faultyStandby = await getSynchronousStandby(cluster);
      await using sql = new SQL({ url: faultyStandby.url, max: 1 });
      const report = await sql.reserve();
      await report`BEGIN ISOLATION LEVEL REPEATABLE READ`;
      await report`SELECT count(*) FROM animal_store.pets`;
      const leader = new SQL({ url: (await cluster.leader()).url, max: 1 });
      await leader`UPDATE animal_store.categories SET name = name`;
      await leader`VACUUM animal_store.pets, animal_store.events, animal_store.event_inbox, animal_store.claims`;
      await leader.close();
      await Bun.sleep(2_000);
      await report`COMMIT`;
      report.release();
    },
  },
];

testUnless(
  patroniSkipReason ?? haProxySkipReason,
  `under Patroni, no acknowledged write is lost and no read fails in ${faults.map(({ name }) => name).join(", ")}`,
  async () => {
    using folder = temporaryFolder();
    await using cluster = await PatroniCluster.start();
    const hosts = cluster.members.map(({ port }) => `127.0.0.1:${port}`).join(",");
    const start = (log: string) =>
      RunningProgram.start(`postgres://postgres@${hosts}/postgres`, {
        args: cluster.members.flatMap((member) => ["--replica", member.url]),
        stderr: openSync(join(folder.path, log), "a"),
      });
    await using one = await start("one.log");
    await using other = await start("two.log");
    await using proxy = await HaProxy.start([one.client.url, other.client.url]);
    const client = new Client(proxy.url, programKey);
    await until(async () => (await client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } })).status === 201);

    const load = new WriteLoad([client], "patroni");
    await load.untilMore(100);
    for (const { name, cause, heal } of faults) {
      await using readers = readContinuously(4, async () => {
        const id = load.newestId;
        expect(await client.call(`/v1/pets?id=${id}`)).toMatchObject({ status: 200, json: [{ id }] });
      });
      const before = load.times.length;
      await cause(cluster);
      const causedAt = performance.now();
      if (name !== "cut replication") await load.untilMore(50);
      await heal?.(cluster);
      await cluster.untilHealthy();
      await load.untilMore(50);
      await readers.untilMore(50);
      const times = load.times.slice(Math.max(0, before - 1));
      const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
      const resumedAt = times.find((time) => time > causedAt) ?? causedAt;
      console.log(
        `${name}: longest gap between writes ${formatMs(Math.max(...gaps))}, first write ${formatMs(resumedAt - causedAt)} after Patroni had reacted`,
      );
    }
    await load.end();
    for (const { client: reader } of [one, other]) await load.requireAnimals(reader);
    await load.requireEvents(one.client);
  },
);

async function getSynchronousStandby(cluster: PatroniCluster): Promise<PatroniMember> {
  const [found] = await cluster.byRole("sync_standby");
  if (!found) throw new Error("The cluster has no synchronous standby.");
  return found;
}

function formatMs(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
