import { ignoredSettings, readSettings, reportSettings, type SettingReport, switchSetting } from "../../config.ts";
import type { StoreFacts } from "../../store/inspection.ts";
import { inspectStore } from "../../store/open-store.ts";
import { StoreOpenError } from "../../store/store.ts";
import { type Command, exitCodes, table } from "../command.ts";
import { withReplicas } from "../store/database-settings.ts";
import { fullVersion } from "../version.ts";
import { type Diagnosis, diagnose } from "./diagnosis.ts";
import { serveSettings } from "./serve-settings.ts";

const settings = {
  ...serveSettings,
  json: switchSetting("json", "Print everything as JSON."),
};

export const doctorCommand: Command = {
  name: "doctor",
  usage: "doctor [settings of serve] [--json]",
  summary: "Look whether the service would run well with these settings, and say what to do if not.",
  settings,
  async run(args) {
    const given = readSettings(settings, args);
    const facts = await inspectStore(withReplicas(given.database, given.replicas)).catch((error: unknown) => {
      if (error instanceof StoreOpenError) return error;
      throw error;
    });
    const report = {
      versions: versionsOf(facts),
      settings: reportSettings(settings, args),
      diagnoses: await diagnose(given, facts, ignoredSettings(settings, args)),
    };
    console.log(given.json ? JSON.stringify(report, null, 2) : textOf(report));
    return report.diagnoses.every(({ isWell }) => isWell) ? exitCodes.success : exitCodes.failure;
  },
};

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
    table(Object.entries(versions)),
    "",
    "Settings",
    ...reports.map(
      ({ name, value, source }) => `  ${name.padEnd(width)}${value === null ? "not set" : `${value} (${source})`}`,
    ),
    "",
    "Findings",
    ...diagnoses.map(({ about, isWell, found, advice }) => {
      const line = `  ${isWell ? "ok   " : "WRONG"}  ${about}: ${found}.`;
      return advice === undefined ? line : `${line} ${advice}`;
    }),
  ].join("\n");
}
