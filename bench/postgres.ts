import { join } from "node:path";
import { PostgresServer } from "../test/support/postgres.ts";
import { createsCase, listReadCases } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import type { Measurement } from "./measure.ts";
import { type Plan, showProgress } from "./plan.ts";
import { listProcessTree, readCpu } from "./process.ts";
import type { Section } from "./report.ts";
import { createSlowDiskEnvironment } from "./slow-disk.ts";
import { measureAll, type Workload } from "./sqlite.ts";
import { startControl, startService, type Target } from "./targets.ts";

export async function runPostgres(folder: string, plan: Plan): Promise<Section[]> {
  return [
    await measureReads(folder, plan),
    await measureCreates(folder, plan, "Creates on PostgreSQL", {}),
    await measureCreatesOnSlowDisk(folder, plan),
  ];
}

async function measureReads(folder: string, plan: Plan): Promise<Section> {
  await using server = await startPostgres();
  showProgress(`Making a catalogue of ${plan.animals} animals`);
  await makeSchema(server, "animal_store", plan.animals);
  await using service = await startService(server.url, { log: join(folder, "service.log") });
  await using queryControl = await startControl("postgres-query", server.url);
  const databaseTarget = toDatabaseTarget(service, server);
  const rows: (string | number)[][] = [];
  for (const benchCase of listReadCases(plan.animals)) {
    showProgress(`Reads: ${benchCase.title}`);
    // The same load runs twice: once to measure the service, and once to measure the database.
    const [ours, database, control] = (await measureAll(plan, [
      [service, benchCase, benchCase.next],
      [databaseTarget, benchCase, benchCase.next],
      ...(benchCase.sameQuery ? [[queryControl, benchCase, benchCase.sameQuery] satisfies Workload] : []),
    ])) as [Measurement, Measurement, Measurement?];
    rows.push([
      benchCase.title,
      ours.cpu,
      control?.cpu ?? "",
      database.cpu,
      ours.perSecond,
      ours.p50,
      ours.p99,
      service.memory(),
    ]);
  }
  return {
    title: `Reads of ${plan.animals.toLocaleString("en")} animals on PostgreSQL`,
    columns: ["case", "us", "same query us", "PostgreSQL us", "per s", "p50 ms", "p99 ms", "MB"],
    rows,
  };
}

async function measureCreates(
  folder: string,
  plan: Plan,
  title: string,
  environment: Record<string, string>,
): Promise<Section> {
  await using server = await startPostgres(environment);
  await makeSchema(server, "single", 0);
  await using service = await startService(server.url, { log: join(folder, "service.log") });
  await using insertControl = await startControl("postgres-create", `${server.url}?schema=single`);
  const databaseTarget = toDatabaseTarget(service, server);
  showProgress(title);
  const [ours, database, control] = (await measureAll(plan, [
    [service, createsCase, createsCase.next],
    [databaseTarget, createsCase, createsCase.next],
    [insertControl, createsCase, createsCase.next],
  ])) as [Measurement, Measurement, Measurement];
  return {
    title,
    columns: ["64 connections", "per s", "p50 ms", "p99 ms", "us", "PostgreSQL us"],
    rows: [
      ["the service", ours.perSecond, ours.p50, ours.p99, ours.cpu, database.cpu],
      ["one statement each", control.perSecond, control.p50, control.p99, control.cpu, ""],
      ["ratio", ours.perSecond / control.perSecond, "", "", "", ""],
    ],
  };
}

async function measureCreatesOnSlowDisk(folder: string, plan: Plan): Promise<Section> {
  const title = "Creates on PostgreSQL, with 2 ms added to every flush of the disk";
  const environment = createSlowDiskEnvironment(folder, 2);
  if (typeof environment === "string") return { title, columns: ["skipped"], rows: [[environment]] };
  return await measureCreates(folder, plan, title, environment);
}

export async function startPostgres(environment: Record<string, string> = {}): Promise<PostgresServer> {
  showProgress("Starting PostgreSQL");
  return await PostgresServer.start({ max_connections: "100" }, environment);
}

export async function makeSchema({ url }: PostgresServer, schema: string, animals: number): Promise<void> {
  await makeCatalogue({ kind: "postgres", urls: [url], schema, replicas: [] }, animals);
}

/** Returns a target that sends requests to the service, but reports the processor time of the database. */
function toDatabaseTarget(service: Target, { pid }: PostgresServer): Target {
  return { ...service, name: "PostgreSQL", cpu: () => readCpu(listProcessTree(pid)) };
}
