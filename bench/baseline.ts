import { join } from "node:path";
import { type Case, createsCase, listReadCases, readsBesideCreatesCase } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import { medianOf } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import { makeSchema, startPostgres } from "./postgres.ts";
import type { Section } from "./report.ts";
import { measureRounds } from "./sqlite.ts";
import { startService, type Target } from "./targets.ts";

/** Compares the processor time per request with the program of another checkout. Each program has its own database. */
export async function runBaseline(
  baselineFolder: string,
  kind: string,
  folder: string,
  plan: Plan,
): Promise<Section[]> {
  await using server = kind === "postgres" ? await startPostgres() : undefined;
  const start = async (name: string, checkout?: string) => {
    const path = join(folder, `${name}.db`);
    showProgress(`Making a catalogue of ${plan.animals} animals for ${name}`);
    if (server) await makeSchema(server, name, plan.animals);
    else await makeCatalogue({ kind: "sqlite", path }, plan.animals);
    const database = server ? `${server.url}?schema=${name}` : `sqlite:${path}`;
    return await startService(database, { log: join(folder, `${name}.log`), checkout });
  };
  await using current = await start("ours");
  await using baseline = await start("baseline", baselineFolder);
  const rows: (string | number)[][] = [];
  for (const benchCase of [...listReadCases(plan.animals), readsBesideCreatesCase(plan.animals), createsCase]) {
    showProgress(benchCase.title);
    rows.push([benchCase.title, ...(await compare(current, baseline, benchCase, plan))]);
  }
  return [
    {
      title: `CPU time of the service beside ${baselineFolder}, ${plan.animals.toLocaleString("en")} animals, ${kind}`,
      columns: ["case", "us", "baseline us", "ours / baseline", "lowest", "highest"],
      rows,
      notes: ["The ratio is the median of the rounds; the lowest and the highest one show the noise."],
    },
  ];
}

async function compare(current: Target, baseline: Target, benchCase: Case, plan: Plan): Promise<number[]> {
  const [currentRounds = [], baselineRounds = []] = await measureRounds(plan, [
    [current, benchCase, benchCase.next],
    [baseline, benchCase, benchCase.next],
  ]);
  const ratios = currentRounds.map(({ cpu }, round) => cpu / (baselineRounds[round]?.cpu ?? Number.NaN));
  return [
    medianOf(currentRounds.map(({ cpu }) => cpu)),
    medianOf(baselineRounds.map(({ cpu }) => cpu)),
    medianOf(ratios),
    Math.min(...ratios),
    Math.max(...ratios),
  ];
}
