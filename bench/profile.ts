import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createsCase, listReadCases } from "./cases.ts";
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
  for (const benchCase of [...listReadCases(plan.animals), createsCase]) {
    showProgress(`Profiling: ${benchCase.title}`);
    const profileFolder = join(folder, benchCase.name);
    {
      const runtimeArgs = ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
      await using service = await startService(`sqlite:${path}`, { runtimeArgs, log: join(folder, "service.log") });
      await measure(service, benchCase, benchCase.next, { milliseconds: 4_000 });
    }
    const [file = ""] = readdirSync(profileFolder);
    const copy = `${benchCase.name}.cpuprofile`;
    copyFileSync(join(profileFolder, file), copy);
    console.log(
      `\n${benchCase.title} (${copy} opens in a browser's developer tools)\n${formatTopFunctions(join(profileFolder, file))}`,
    );
  }
}

interface CpuProfile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function formatTopFunctions(file: string): string {
  const { nodes, samples, timeDeltas }: CpuProfile = JSON.parse(readFileSync(file, "utf8"));
  const functionLabels = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [id, `${functionName || "?"} ${url.split("/").at(-1)}`]),
  );
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const label = functionLabels.get(id) ?? "?";
    times.set(label, (times.get(label) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 15)
    .map(([label, time]) => `${formatNumber((time / total) * 100).padStart(6)} %  ${label}`)
    .join("\n");
}
