import { statSync } from "node:fs";
import type { Awaitable } from "../../base/awaitable.ts";
import { maxClockSkewMs } from "../../base/clock.ts";
import { escapeControls } from "../../base/escape-controls.ts";
import { type SettingReport, SettingsError } from "../../config.ts";
import { readOpenFileLimit } from "../../http/open-files.ts";
import { findFreePort } from "../../http/server.ts";
import { serviceTitle } from "../../openapi/document.ts";
import { basePath } from "../../operations/operation.ts";
import type { Diagnosis, StoreFacts } from "../../store/inspection.ts";
import { inspectStore } from "../../store/open-store.ts";
import { StoreOpenError } from "../../store/store.ts";
import { command, exitCodes } from "../command.ts";
import { formatTwoColumns } from "../help.ts";
import { localUrl, requestOnce } from "../remote/health.ts";
import { withReplicas } from "../store/database-settings.ts";
import { plural } from "../terminal/plural.ts";
import { fullVersion } from "../version.ts";
import { explainFailure, requireBothFiles } from "./listening.ts";
import { importPages } from "./pages.ts";
import { readCertificate } from "./read-certificate.ts";
import { looksGuessable, requireOwnMetricsPort, type ServeSettings, serveSettings } from "./serve-settings.ts";

export const doctorCommand = command({
  name: "doctor",
  summary: "Check whether the service would run well with these settings, and say what to do if not.",
  details: "It takes the settings of serve.",
  settings: serveSettings,
  async run({ settings: given, report: settings, ignored, output }) {
    requireOwnMetricsPort(given);
    const facts = await inspectStore(withReplicas(given.database, given.replicas), given.poolSize).catch(
      (error: unknown) => {
        if (error instanceof StoreOpenError) return error;
        throw error;
      },
    );
    const versions = listVersions(facts);
    const diagnoses = await diagnose(given, facts, ignored);
    await output.print(formatReport(versions, settings, diagnoses), { versions, settings, diagnoses });
    return diagnoses.every(({ isWell }) => isWell) ? exitCodes.success : exitCodes.failure;
  },
});

function listVersions(facts: StoreFacts | StoreOpenError): Readonly<Record<string, string>> {
  const { platform, arch, versions } = process;
  const ownVersions = { "animal-store": fullVersion(), Bun: versions.bun ?? "", platform: `${platform} ${arch}` };
  if (facts instanceof StoreOpenError) return ownVersions;
  const { engine, schema = "none yet", newestSchema } = facts;
  return { ...ownVersions, database: engine, schema: `${schema}; this program knows ${newestSchema}` };
}

function formatReport(versions: object, settings: readonly SettingReport[], diagnoses: readonly Diagnosis[]): string {
  const values = settings.map(
    ({ name, value, source }) => [name, value === null ? "not set" : `${escapeControls(value)} (${source})`] as const,
  );
  const findings = diagnoses.map(({ about, isWell, found, advice = "" }) =>
    escapeControls(`  ${isWell ? "ok   " : "WRONG"}  ${about}: ${found}. ${advice}`.trimEnd()),
  );
  const sections = { Versions: formatTwoColumns(Object.entries(versions)), Settings: formatTwoColumns(values) };
  const texts = Object.entries({ ...sections, Findings: findings.join("\n") });
  return texts.map(([title, text]) => `${title}\n${text}`).join("\n\n");
}

async function diagnose(
  given: ServeSettings,
  facts: StoreFacts | StoreOpenError,
  ignored: readonly string[],
): Promise<Diagnosis[]> {
  return [
    ...ignored.map((complaint) => fail("settings", withoutFullStop(complaint), "It is ignored.")),
    ...diagnoseStore(facts),
    ...(await diagnosePorts(given, facts)),
    diagnoseOpenFileLimit(given.maxConnections),
    ...(await catchSettingsErrors("console", diagnoseConsole)),
    ...(await catchSettingsErrors("TLS", () => diagnoseCertificate(given))),
    ...(given.apiKey !== undefined && looksGuessable(given.apiKey) ? [guessableKeyDiagnosis] : []),
  ];
}

function diagnoseStore(facts: StoreFacts | StoreOpenError): Diagnosis[] {
  if (!(facts instanceof StoreOpenError)) {
    const fileDiagnoses = facts.folder ? [diagnoseDisk(facts), diagnoseFileModes(facts)] : [];
    return [diagnoseSchema(facts), ...fileDiagnoses, diagnoseClock(facts), ...(facts.diagnoses ?? [])];
  }
  const [, found = facts.message, advice] = /^(.*?)\. (.*)$/s.exec(facts.message) ?? [];
  return [fail("store", withoutFullStop(found), advice)];
}

function diagnoseSchema({ schema, newestSchema }: StoreFacts): Diagnosis {
  if (schema === undefined) return pass("store", "there is none yet", "serve creates it.");
  if (schema === newestSchema) return pass("store", "it can be opened, and its schema is up to date");
  if (schema > newestSchema) return pass("store", "its schema is newer than this program, which works with it");
  const advice = "serve migrates it on startup, or run migrate before; make a backup first.";
  const behind = newestSchema - schema;
  return pass("store", `its schema is ${behind} ${plural(behind, "migration")} behind`, advice);
}

function diagnoseDisk({ folder, files }: StoreFacts): Diagnosis {
  const { path = "", freeBytes = 0 } = folder ?? {};
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const found = `${formatMegabytes(freeBytes)} free in ${path}, the store has ${formatMegabytes(size)}`;
  return judge(freeBytes >= minFreeBytes, "disk", found, "Free some space, or writes will be refused.");
}

const minFreeBytes = 100_000_000;

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function diagnoseFileModes({ folder, files }: StoreFacts): Diagnosis {
  const exposedFiles = files.filter(({ mode }) => (mode & 0o077) !== 0);
  if (exposedFiles.length > 0) {
    const paths = exposedFiles.map(({ path }) => path).join(" ");
    return fail("file modes", `users other than the owner can access ${paths}`, `Run chmod 600 ${paths}`);
  }
  const { path = "", mode = 0 } = folder ?? {};
  // In a folder such as /tmp, the sticky bit keeps other users from replacing files.
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) {
    return fail("file modes", `users other than the owner can replace files in ${path}`, `Run chmod go-w ${path}`);
  }
  return pass("file modes", "only the owner can access the files of the store");
}

function diagnoseClock({ aheadMs, files }: StoreFacts): Diagnosis {
  const now = new Date().toISOString();
  if (aheadMs !== undefined) {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    const found = `it is ${now}, ${seconds} ${plural(seconds, "second")} ${aheadMs < 0 ? "behind" : "ahead of"} the server's`;
    return judge(Math.abs(aheadMs) <= maxSkewMs, "clock", found, "Synchronise both with the same time server.");
  }
  const newest = Math.max(0, ...files.map(({ changedAt }) => changedAt));
  if (newest <= Date.now() + maxClockSkewMs) return pass("clock", `it is ${now}`);
  const found = `it is ${now}, but the store was last changed at ${new Date(newest).toISOString()}`;
  return fail("clock", found, "Set the clock, for example from a time server.");
}

const maxSkewMs = 5_000;

/** Checks whether the ports are available. A port that the running service itself has taken counts as available. */
async function diagnosePorts(given: ServeSettings, facts: StoreFacts | StoreOpenError): Promise<Diagnosis[]> {
  const { host, port, metricsHost, metricsPort, tlsCert } = given;
  const mayBeRunning = !(facts instanceof StoreOpenError) && (facts.files.length > 1 || !facts.folder);
  const main = await diagnosePort("--port", port, "--host", host);
  const document = new URL(`${basePath}/openapi.json`, localUrl(host, port, tlsCert !== undefined));
  const response = main.isWell || !mayBeRunning ? undefined : await requestOnce(document, false).catch(() => undefined);
  if (response?.found.includes(serviceTitle)) {
    return [pass("port", `a running service already has --port ${port} on --host ${host}`)];
  }
  if (metricsPort === undefined) return [main];
  const hostFlag = metricsHost === undefined ? "--host" : "--metrics-host";
  return [main, await diagnosePort("--metrics-port", metricsPort, hostFlag, metricsHost ?? host)];
}

/** Listens for a moment, because only the kernel knows whether the port is available. */
async function diagnosePort(flag: string, port: number, hostFlag: string, host: string): Promise<Diagnosis> {
  try {
    findFreePort(host, port);
    return pass("port", `${flag} ${port} is free on ${hostFlag} ${host}`);
  } catch (error) {
    const advice = "serve would not start: choose another port or host, or stop the program that has it.";
    return fail("port", await explainFailure(error, `${flag} ${port}`, hostFlag, host), advice);
  }
}

function diagnoseOpenFileLimit(maxConnections: number): Diagnosis {
  const limit = readOpenFileLimit();
  const needed = maxConnections + reservedFileCount;
  const found = `${limit === Number.POSITIVE_INFINITY ? "any number" : limit} may be open, --max-connections is ${maxConnections}`;
  const advice = `Raise the limit (ulimit -n ${needed}), or lower --max-connections.`;
  return judge(limit >= needed, "open files", found, advice);
}

const reservedFileCount = 100;

async function diagnoseConsole(): Promise<Diagnosis[]> {
  const areBuilt = (await importPages()) !== undefined;
  const advice = "Run npm run build; without them, only the API is served.";
  return [judge(areBuilt, "console", `its pages are ${areBuilt ? "" : "not "}built`, advice)];
}

function diagnoseCertificate({ tlsCert, tlsKey }: ServeSettings): Diagnosis[] {
  const files = requireBothFiles(tlsCert, tlsKey);
  const advice = "Put an HTTPS proxy in front of it, or set --tls-cert and --tls-key.";
  if (!files) return [pass("TLS", "the service speaks plain HTTP", advice)];
  const { expiresAt } = readCertificate(files);
  const found = `the certificate expires at ${expiresAt.toISOString()}`;
  const isLasting = expiresAt.getTime() - Date.now() >= minLifetimeMs;
  const isExposed = (statSync(files.key).mode & 0o077) !== 0;
  return [
    judge(isLasting, "TLS", found, "Renew it, then send SIGHUP to the service."),
    ...(isExposed ? [fail("TLS key", `other users can read ${files.key}`, `Run chmod 600 ${files.key}`)] : []),
  ];
}

/** Converts a SettingsError, which would keep the service from starting, to diagnoses. */
async function catchSettingsErrors(about: string, diagnose: () => Awaitable<Diagnosis[]>): Promise<Diagnosis[]> {
  try {
    return await diagnose();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map((problem) => fail(about, withoutFullStop(problem), "The service would not start."));
  }
}

const minLifetimeMs = 14 * 24 * 60 * 60 * 1000;

const guessableKeyDiagnosis = fail(
  "ANIMAL_STORE_API_KEY",
  "it looks easy to guess",
  "Set a random one, for example with openssl rand -hex 24.",
);

function pass(about: string, found: string, advice?: string): Diagnosis {
  return { about, isWell: true, found, ...(advice === undefined ? {} : { advice }) };
}

function fail(about: string, found: string, advice?: string): Diagnosis {
  return { ...pass(about, found, advice), isWell: false };
}

function judge(isWell: boolean, about: string, found: string, advice: string): Diagnosis {
  return isWell ? pass(about, found) : fail(about, found, advice);
}

function withoutFullStop(text: string): string {
  return text.replace(/\.$/, "");
}
