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
import { type Results, report, type Section } from "./report.ts";
import { runSkewed } from "./skewed.ts";
import { runSqlite, runTraces } from "./sqlite.ts";
import { versionsOf } from "./targets.ts";

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
  console.log(`npm run bench -- [settings]

  --quick              A minute's run: a smaller catalogue and short rounds.
  --rounds NUMBER      How many rounds each figure is the middle of, if not nine.
  --database postgres  On PostgreSQL, which is started for it.
  --browser            The console in a browser instead: how smoothly a long table scrolls, what it keeps,
                       and how soon one browser shows what another does.
  --traces             What traces cost, alone.
  --skewed             Every list by every filter, of animals most of which are alike, on both stores.
  --fairness           Clients with a key and health probes, beside a flood of pipelined requests without one.
  --flood NUMBER       How many connections that flood has.
  --baseline FOLDER    The same requests to this program and to that of another checkout, in turns.
  --import             Animals from a file into both stores, straight and through a service, and out again.
  --profile            Where the time goes, by function, and the file to look at it with.
  --json FILE          Where the figures are written to. Default: bench-results.json`);
  process.exit(0);
}
clearEnvironment();

const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
try {
  const usual = flags.quick ? quickPlan : fullPlan;
  const plan = {
    ...usual,
    rounds: Number(flags.rounds ?? usual.rounds),
    floodConnections: Number(flags.flood ?? usual.floodConnections),
  };
  if (flags.profile) await profile(folder, plan);
  else {
    const sections = await chooseRun()(folder, plan);
    const results: Results = {
      date: new Date().toISOString(),
      command: `npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`,
      versions: versionsOf(),
      sections,
    };
    console.log(report(results));
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
