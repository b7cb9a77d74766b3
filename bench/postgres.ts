import { join } from "node:path";
import { PostgresServer } from "../test/support/postgres.ts";
import { createCase, readCases } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import type { Measurement } from "./measure.ts";
import { type Plan, tell } from "./plan.ts";
import { cpuOf, withDescendants } from "./process.ts";
import type { Section } from "./report.ts";
import { inTurns } from "./sqlite.ts";
import { startControl, startService, type Target } from "./targets.ts";

/** The same reads and creates on PostgreSQL, with what they cost the database beside what they cost the service. */
export async function runPostgres(folder: string, plan: Plan): Promise<Section[]> {
  tell("Starting PostgreSQL");
  await using server = await PostgresServer.start({ max_connections: "100" });
  const animals = Math.min(plan.animals, 1_000_000);
  tell(`Making a catalogue of ${animals} animals`);
  await makeCatalogue({ kind: "postgres", urls: [server.url], schema: "animal_store", replicas: [] }, animals);
  await using service = await startService(server.url, { log: join(folder, "service.log") });
  const database: Target = { ...service, name: "PostgreSQL", cpu: () => cpuOf(withDescendants(server.pid)) };
  const rows: (string | number)[][] = [];
  for (const one of readCases(animals)) {
    tell(`Reads: ${one.title}`);
    // The same load, once with an eye on the service and once on the database.
    const [ours, theirs] = (await inTurns(plan, [
      [service, one, one.next],
      [database, one, one.next],
    ])) as [Measurement, Measurement];
    rows.push([one.title, ours.cpu, theirs.cpu, ours.perSecond, ours.p50, ours.p99, service.memory()]);
  }
  return [
    {
      title: `Reads of ${animals.toLocaleString("en")} animals on PostgreSQL`,
      columns: ["case", "us", "PostgreSQL us", "per s", "p50 ms", "p99 ms", "MB"],
      rows,
    },
    await creates(server, service, database, plan),
  ];
}

async function creates(server: PostgresServer, service: Target, database: Target, plan: Plan): Promise<Section> {
  await using single = await startControl("postgres", server.url);
  tell("Creates");
  const [ours, theirs, one] = (await inTurns(plan, [
    [service, createCase, createCase.next],
    [database, createCase, createCase.next],
    [single, createCase, createCase.next],
  ])) as [Measurement, Measurement, Measurement];
  return {
    title: "Creates on PostgreSQL",
    columns: ["64 connections", "per s", "p50 ms", "p99 ms", "us", "PostgreSQL us"],
    rows: [
      ["the service", ours.perSecond, ours.p50, ours.p99, ours.cpu, theirs.cpu],
      ["one statement each", one.perSecond, one.p50, one.p99, one.cpu, ""],
      ["ratio", ours.perSecond / one.perSecond, "", "", "", ""],
    ],
  };
}
