import { join } from "node:path";
import { type Case, createCase, readCases, readsBesideCreates } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import { medianOf } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import { makeSchema, startPostgres } from "./postgres.ts";
import type { Section } from "./report.ts";
import { measureRounds } from "./sqlite.ts";
import { startService, type Target } from "./targets.ts";

/** Compares the processor time per request with the program of another checkout. Each program has its own database. */
export async function runBaseline(baseline: string, kind: string, folder: string, plan: Plan): Promise<Section[]> {
  await using server = kind === "postgres" ? await startPostgres() : undefined;
  const start = async (name: string, checkout?: string) => {
    const path = join(folder, `${name}.db`);
    showProgress(`Making a catalogue of ${plan.animals} animals for ${name}`);
    if (server) await makeSchema(server, name, plan.animals);
    else await makeCatalogue({ kind: "sqlite", path }, plan.animals);
    const database = server ? `${server.url}?schema=${name}` : `sqlite:${path}`;
    return await startService(database, { log: join(folder, `${name}.log`), checkout });
  };
  await using ours = await start("ours");
  await using theirs = await start("baseline", baseline);
  const rows: (string | number)[][] = [];
  for (const one of [...readCases(plan.animals), readsBesideCreates(plan.animals), createCase]) {
    showProgress(one.title);
    rows.push([one.title, ...(await compare(ours, theirs, one, plan))]);
  }
  return [
    {
      title: `CPU time of the service beside ${baseline}, ${plan.animals.toLocaleString("en")} animals, ${kind}`,
      columns: ["case", "us", "baseline us", "ours / baseline", "lowest", "highest"],
      rows,
      notes: ["The ratio is the median of the rounds; the lowest and the highest one show the noise."],
    },
  ];
}

async function compare(ours: Target, theirs: Target, one: Case, plan: Plan): Promise<number[]> {
  const [own = [], other = []] = await measureRounds(plan, [
    [ours, one, one.next],
    [theirs, one, one.next],
  ]);
  const ratios = own.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? Number.NaN));
  return [
    medianOf(own.map(({ cpu }) => cpu)),
    medianOf(other.map(({ cpu }) => cpu)),
    medianOf(ratios),
    Math.min(...ratios),
    Math.max(...ratios),
  ];
}
