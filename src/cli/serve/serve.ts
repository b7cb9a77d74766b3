import { SettingsError } from "../../config.ts";
import { describeCause } from "../../domain/errors.ts";
import { pick } from "../../domain/fields.ts";
import { generateKey, hashKey } from "../../domain/key-secret.ts";
import { listenForMetrics, type MetricsServer } from "../../http/monitoring/metrics-endpoint.ts";
import { Log } from "../../log/log.ts";
import { Registry } from "../../metrics/registry.ts";
import { idempotencyLimits } from "../../store/idempotency-quota.ts";
import { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { command, exitCodes } from "../command.ts";
import { withReplicas } from "../store/database-settings.ts";
import type { Output } from "../terminal/output.ts";
import { version } from "../version.ts";
import { type CertificateFiles, explainFailure, requireBothFiles } from "./listening.ts";
import { importPages } from "./pages.ts";
import type { ReadCertificate } from "./read-certificate.ts";
import { looksGuessable, requireOwnMetricsPort, type ServeSettings, serveSettings } from "./serve-settings.ts";
import { Service } from "./service.ts";
import { openTracing } from "./tracing.ts";
import { formatFirstKeyNotice, formatReadyNotice, toReachableUrl } from "./welcome.ts";

export const serveCommand = command({
  name: "serve",
  summary: "Start the service.",
  details:
    "With --json, it prints one object to standard output when it is ready: its url, and the first key if one was created.",
  settings: serveSettings,
  async run({ settings: given, ignored, output }) {
    requireOwnMetricsPort(given);
    const tlsFiles = requireBothFiles(given.tlsCert, given.tlsKey);
    const certificate = tlsFiles && (await readCertificate(tlsFiles));
    const pages = await importPages();
    const log = new Log(given.logLevel, Boolean(process.stderr.isTTY));
    process.on("SIGUSR2", () => log.toggleDebug());
    for (const cause of ignored) log.write("warn", "a setting is ignored", { cause });
    const metrics = new Registry();
    const tracing = openTracing(given, version, log);
    const signalReceived = waitForSignal(log);
    const death = Promise.withResolvers<"death">();
    let isDead = false;
    const store = await openStore(withReplicas(given.database, given.replicas), {
      poolSize: given.poolSize,
      idempotencyLimits: idempotencyLimits(given.maxIdempotentRequests),
      eventRetentionMs: given.eventRetentionMs,
      onDeath(reason) {
        log.write("error", `the database can no longer be written to: ${reason}`);
        isDead = true;
        death.resolve("death");
      },
      note: (level, message, fields) => log.write(level, message, fields),
      metrics,
      slowStatementMs: given.slowStatement,
    });
    const metricsServer = await startMetrics(metrics, given, store, log);
    if (!pages) log.write("warn", "the console was not built: run npm run build");
    const parts = { store, log, metrics, tracer: tracing?.tracer, certificate, pages };
    const service = await listenOrClose(store, "--port", given.port, "--host", given.host, () => {
      return new Service({ ...parts, ...toServiceOptions(given, metricsServer) });
    });
    if (certificate) warnIfExpired(certificate, log);
    if (tlsFiles) process.on("SIGHUP", () => renewCertificate(service, tlsFiles, log));
    if (given.apiKey !== undefined && looksGuessable(given.apiKey)) log.write("warn", guessableKeyWarning);
    // An operator who has configured a key needs no other.
    const firstKey = given.apiKey === undefined ? await createFirstKey(store) : undefined;
    await announce(service.url, pages !== undefined, firstKey, output, log);
    const cause = await Promise.race([signalReceived, death.promise]);
    if (cause !== "death") log.write("info", `stopping on ${cause}`);
    const [limitMs, delayMs] =
      cause === "death" ? [drainAfterDeathMs, 0] : [drainMilliseconds, given.drainDelay * 1000];
    const hasStopped = await stop(service, log, limitMs, delayMs);
    await metricsServer?.stop();
    await tracing?.close();
    log.flush();
    return hasStopped && !isDead ? exitCodes.success : exitCodes.failure;
  },
});

export const drainMilliseconds = 10_000;
const drainAfterDeathMs = 1_000;

/** Resolves at the first SIGTERM or SIGINT. A later signal ends the process. */
function waitForSignal(log: Log): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first = Number.POSITIVE_INFINITY;
    const listener = (signal: NodeJS.Signals) => {
      // Under npm, Ctrl-C reaches the program twice: directly from the terminal, and through npm.
      if (performance.now() - first > duplicateSignalMs) {
        log.write("error", "stopped at once by a second signal");
        log.flush();
        process.exit(exitCodes.failure);
      }
      first = Math.min(first, performance.now());
      resolve(signal);
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, listener);
  });
}

const duplicateSignalMs = 1_000;

const guessableKeyWarning =
  "ANIMAL_STORE_API_KEY looks easy to guess: set a random one, for example with openssl rand -hex 24";

function toServiceOptions(given: ServeSettings, metricsServer: MetricsServer | undefined) {
  const { publicUrl, stagingUrl } = given;
  return {
    ...pick(given, ["host", "port", "quota", "anonymousQuota", "maxConnections"]),
    trustedProxies: given.trustedProxies ?? [],
    corsOrigins: given.corsOrigins ?? [],
    servesMetrics: metricsServer === undefined,
    closeOtherIdleConnections: metricsServer?.closeIdleConnections,
    sendsServerTiming: given.serverTiming === "on",
    slowRequestMs: given.slowRequest,
    stopwatch: () => performance.now(),
    addresses: [
      ...(publicUrl ? [{ url: publicUrl, description: "Production" }] : []),
      ...(stagingUrl ? [{ url: stagingUrl, description: "Staging" }] : []),
    ],
    publicPath: publicUrl && new URL(publicUrl).pathname,
    environmentKey: given.apiKey,
    webhooks: { key: given.webhookKey, allowedNetworks: given.webhookNetworks },
  };
}

async function startMetrics(
  metrics: Registry,
  { host, metricsPort, metricsHost }: ServeSettings,
  store: Store,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const [hostFlag, ownHost] = metricsHost === undefined ? ["--host", host] : ["--metrics-host", metricsHost];
  const listen = () => listenForMetrics(metrics, ownHost, metricsPort);
  const server = await listenOrClose(store, "--metrics-port", metricsPort, hostFlag, ownHost, listen);
  log.write("info", "metrics are served", { url: server.url.href });
  return server;
}

/** Listens. If that fails, closes the store, and throws SettingsError with the reason. */
async function listenOrClose<Server>(
  store: Store,
  flag: string,
  port: number,
  hostFlag: string,
  host: string,
  listen: () => Server,
): Promise<Server> {
  try {
    return listen();
  } catch (error) {
    await store.close();
    throw new SettingsError(`${await explainFailure(error, `${flag} ${port}`, hostFlag, host)}.`);
  }
}

async function createFirstKey(store: Store): Promise<string | undefined> {
  const key = generateKey();
  const description = { name: "first", scope: "admin", createdAt: store.clock(), expiresAt: null } as const;
  return (await store.keys.createFirst(description, { hash: hashKey(key) })) ? key : undefined;
}

/** Prints the address of the service. The service keeps running if nothing reads its standard output. */
async function announce(url: URL, hasPages: boolean, firstKey: string | undefined, output: Output, log: Log) {
  const notices = [formatReadyNotice(url, hasPages)];
  if (firstKey) notices.push(formatFirstKeyNotice(firstKey, url, hasPages));
  const ready = { url: toReachableUrl(url), firstKey: firstKey ?? null };
  await output.print(notices.join("\n"), ready).catch((error) => {
    if (firstKey) log.write("warn", lostKeyWarning, { cause: (error as Error).message });
  });
}

const lostKeyWarning =
  "the first key was created, but could not be printed: create another with animal-store keys create, then revoke the first with animal-store keys revoke";

async function readCertificate(files: CertificateFiles): Promise<ReadCertificate> {
  return (await import("./read-certificate.ts")).readCertificate(files);
}

async function renewCertificate(service: Service, files: CertificateFiles, log: Log): Promise<void> {
  try {
    const certificate = await readCertificate(files);
    service.renewCertificate(certificate);
    log.write("info", "the TLS certificate was read again", { expires: certificate.expiresAt.toISOString() });
    warnIfExpired(certificate, log);
  } catch (error) {
    const cause = (error as Error).message.replaceAll("\n", " ");
    log.write("error", "the TLS certificate could not be renewed, and the old one is still used", { cause });
  }
}

function warnIfExpired({ expiresAt }: ReadCertificate, log: Log): void {
  if (expiresAt.getTime() > Date.now()) return;
  const expires = expiresAt.toISOString();
  log.write("warn", "the TLS certificate has expired: renew it, then send SIGHUP", { expires });
}

async function stop(service: Service, log: Log, limitMs: number, delayMs: number): Promise<boolean> {
  try {
    await service.stop(limitMs, delayMs);
    log.write("info", "stopped");
    return true;
  } catch (error) {
    log.write("error", "stopped before the store was closed: writes in progress may or may not have been saved", {
      cause: describeCause(error),
    });
    return false;
  }
}
