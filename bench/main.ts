#!/usr/bin/env bun
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clearEnvironment } from "../test/support/environment.ts";
import { runBaseline } from "./baseline.ts";
import { runBrowser } from "./browser.ts";
import { runFairness } from "./fairness.ts";
import { runImport } from "./import.ts";
import { fullPlan, type Plan, quickPlan } from "./plan.ts";
import { runPostgres } from "./postgres.ts";
import { profile } from "./profile.ts";
import { formatReport, type Results, type Section } from "./report.ts";
import { runSkewed } from "./skewed.ts";
import { runSqlite, runTraces } from "./sqlite.ts";
import { readVersions } from "./targets.ts";

/** Measures the service and its controls in alternating rounds, and prints the results. */
const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    profile: { type: "boolean", default: false },
    browser: { type: "boolean", default: false },
    traces: { type: "boolean", default: false },
    skewed: { type: "boolean", default: false },
    flood: { type: "string" },
    fairness: { type: "boolean", default: false },
    import: { type: "boolean", default: false },
    baseline: { type: "string" },
    database: { type: "string", default: "sqlite" },
    json: { type: "string", default: "bench-results.json" },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) {
  console.log(`npm run bench -- [options]

  --quick              Take about a minute: a smaller catalogue and short rounds.
  --rounds NUMBER      Number of rounds, of which each figure is the median. Default: 9, or 3 with --quick.
  --database postgres  Measure PostgreSQL, with a server that the benchmark starts.
  --browser            Measure the console in a browser: scrolling, memory, and how soon one browser shows
                       the changes of another.
  --traces             Measure only the cost of tracing.
  --skewed             Measure every list by every filter on both stores, where most animals are alike.
  --fairness           Measure clients with a key, and health probes, during a flood of requests without a key.
  --flood NUMBER       Number of connections of the flood.
  --baseline FOLDER    Compare this program with that of another checkout, in alternating rounds.
  --import             Measure imports and exports on both stores, directly and through a service.
  --profile            Print where the time goes, by function, and keep the profiles.
  --json FILE          Where to write the figures. Default: bench-results.json`);
  process.exit(0);
}
clearEnvironment();

const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
try {
  const basePlan = flags.quick ? quickPlan : fullPlan;
  const plan = {
    ...basePlan,
    rounds: Number(flags.rounds ?? basePlan.rounds),
    floodConnections: Number(flags.flood ?? basePlan.floodConnections),
  };
  if (flags.profile) await profile(folder, plan);
  else {
    const sections = await chooseRun()(folder, plan);
    const results: Results = {
      date: new Date().toISOString(),
      command: `npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`,
      versions: readVersions(),
      sections,
    };
    console.log(formatReport(results));
    writeFileSync(flags.json, `${JSON.stringify(results, null, 2)}\n`);
    console.log(`\nThe figures are in ${flags.json}.`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function chooseRun(): (folder: string, plan: Plan) => Promise<Section[]> {
  if (flags.browser) return runBrowser;
  if (flags.traces) return runTraces;
  if (flags.skewed) return runSkewed;
  if (flags.fairness) return runFairness;
  if (flags.import) return runImport;
  const { baseline } = flags;
  if (baseline) return (folder, plan) => runBaseline(resolve(baseline), flags.database, folder, plan);
  return flags.database === "postgres" ? runPostgres : runSqlite;
}
