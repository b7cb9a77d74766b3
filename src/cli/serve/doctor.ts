import { harmless } from "../../base/harmless.ts";
import { ignoredSettings, reportSettings, type SettingReport } from "../../config.ts";
import type { StoreFacts } from "../../store/inspection.ts";
import { inspectStore } from "../../store/open-store.ts";
import { StoreOpenError } from "../../store/store.ts";
import { command, exitCodes } from "../command.ts";
import { twoColumns } from "../help.ts";
import { withReplicas } from "../store/database-settings.ts";
import { fullVersion } from "../version.ts";
import { type Diagnosis, diagnose } from "./diagnosis.ts";
import { requireOwnMetricsPort, serveSettings } from "./serve-settings.ts";

export const doctorCommand = command({
  name: "doctor",
  summary: "Check whether the service would run well with these settings, and say what to do if not.",
  details: "It takes the settings of serve.",
  settings: serveSettings,
  async run({ settings: given, args, output }) {
    requireOwnMetricsPort(given);
    const facts = await inspectStore(withReplicas(given.database, given.replicas)).catch((error: unknown) => {
      if (error instanceof StoreOpenError) return error;
      throw error;
    });
    const report = {
      versions: versionsOf(facts),
      settings: reportSettings(serveSettings, args),
      diagnoses: await diagnose(given, facts, ignoredSettings(serveSettings, args)),
    };
    await output.text(textOf(report), report);
    return report.diagnoses.every(({ isWell }) => isWell) ? exitCodes.success : exitCodes.failure;
  },
});

interface Report {
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: readonly SettingReport[];
  readonly diagnoses: readonly Diagnosis[];
}

function versionsOf(facts: StoreFacts | StoreOpenError): Report["versions"] {
  const own = { "animal-store": fullVersion(), Bun: process.versions.bun ?? "", platform: platform() };
  if (facts instanceof StoreOpenError) return own;
  const { engine, schema, newestSchema } = facts;
  const known = schema === undefined ? "none yet" : String(schema);
  return { ...own, database: engine, schema: `${known}; this program knows ${newestSchema}` };
}

function platform(): string {
  return `${process.platform} ${process.arch}`;
}

function textOf({ versions, settings: reports, diagnoses }: Report): string {
  const width = Math.max(...reports.map(({ name }) => name.length)) + 2;
  return [
    "Versions",
    twoColumns(Object.entries(versions)),
    "",
    "Settings",
    ...reports.map(
      ({ name, value, source }) =>
        `  ${name.padEnd(width)}${value === null ? "not set" : `${harmless(value)} (${source})`}`,
    ),
    "",
    "Findings",
    ...diagnoses.map(({ about, isWell, found, advice }) => {
      const line = `  ${isWell ? "ok   " : "WRONG"}  ${about}: ${found}.`;
      return harmless(advice === undefined ? line : `${line} ${advice}`);
    }),
  ].join("\n");
}
