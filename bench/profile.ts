import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCase, readCases } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import { measure } from "./measure.ts";
import { type Plan, showProgress } from "./plan.ts";
import { formatNumber } from "./report.ts";
import { startService } from "./targets.ts";

/** Prints the functions that take most of the service's time in each case, and keeps the profiles. */
export async function profile(folder: string, plan: Plan): Promise<void> {
  const path = join(folder, "catalogue.db");
  showProgress("Making a catalogue");
  await makeCatalogue({ kind: "sqlite", path }, plan.animals);
  for (const one of [...readCases(plan.animals), createCase]) {
    showProgress(`Profiling: ${one.title}`);
    const profiles = join(folder, one.name);
    {
      const runtimeArgs = ["--cpu-prof", `--cpu-prof-dir=${profiles}`];
      await using service = await startService(`sqlite:${path}`, { runtimeArgs, log: join(folder, "service.log") });
      await measure(service, one, one.next, { milliseconds: 4_000 });
    }
    const [file = ""] = readdirSync(profiles);
    const copy = `${one.name}.cpuprofile`;
    copyFileSync(join(profiles, file), copy);
    console.log(`\n${one.title} (${copy} opens in a browser's developer tools)\n${topFunctions(join(profiles, file))}`);
  }
}

interface CpuProfile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function topFunctions(file: string): string {
  const { nodes, samples, timeDeltas }: CpuProfile = JSON.parse(readFileSync(file, "utf8"));
  const places = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [id, `${functionName || "?"} ${url.split("/").at(-1)}`]),
  );
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const place = places.get(id) ?? "?";
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 15)
    .map(([place, time]) => `${formatNumber((time / total) * 100).padStart(6)} %  ${place}`)
    .join("\n");
}
