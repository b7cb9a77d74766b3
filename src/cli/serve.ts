import { lookup } from "node:dns/promises";
import type { DatabaseAddress } from "../base/database-address.ts";
import {
  databaseSetting,
  integer,
  oneOf,
  poolSizeSetting,
  readSettings,
  replicasSetting,
  SettingsError,
  setting,
} from "../config.ts";
import { generateKey, hashKey } from "../domain/key.ts";
import type { Quota } from "../http/access/rate-limit.ts";
import { Log, logLevels } from "../http/log/log.ts";
import { listenForMetrics, type MetricsServer } from "../http/monitoring/metrics-endpoint.ts";
import type { ServerAddress } from "../http/public/service-endpoints.ts";
import { isNetwork } from "../http/request/client-address.ts";
import { Registry } from "../metrics/registry.ts";
import { basePath } from "../operations/operation.ts";
import { claimLimits, usualClaimLimits } from "../store/claim-room.ts";
import { openStore } from "../store/open-store.ts";
import type { Note, Store } from "../store/store.ts";
import {
  type CertificateFiles,
  certificateFiles,
  certificateSetting,
  privateKeySetting,
  type ReadCertificate,
  readCertificate,
} from "./certificate.ts";
import { type Command, exitCodes } from "./command.ts";
import { hostSetting, portSetting } from "./listening.ts";
import { importPages } from "./pages.ts";
import { Service, type ServiceParts } from "./service.ts";
import { openTracing, tracingSettings } from "./tracing.ts";
import { version } from "./version.ts";
import { firstKeyNotice, readyNotice } from "./welcome.ts";

export const serveSettings = {
  port: portSetting,
  host: hostSetting,
  tlsCert: certificateSetting,
  tlsKey: privateKeySetting,
  database: databaseSetting,
  replicas: replicasSetting,
  poolSize: poolSizeSetting,
  apiKey: setting((text) => ([...text].length >= 16 && /^\S[^\p{Cc}]*\S$/u.test(text) ? text : undefined), {
    environment: "ANIMAL_STORE_API_KEY",
    placeholder: "KEY",
    help: "An admin key that is accepted in addition to those in the store.",
    expects: "16 characters or more, without spaces at either end",
    secret: true,
  }),
  drainDelay: setting(parseSeconds, {
    flag: "drain-delay",
    environment: "DRAIN_DELAY",
    placeholder: "SECONDS",
    help: "How long to keep serving, with /readyz at 503, before stopping.",
    expects: "a number of seconds from 0 to 600",
    default: "0",
  }),
  quota: setting(parseQuota, {
    flag: "rate-limit",
    environment: "RATE_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests a key may make per second; 1000/60 for 1000 in 60 seconds. Unlimited by default.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/60",
  }),
  mostClaims: setting(integer(1, 100_000_000), {
    flag: "idempotency-limit",
    environment: "IDEMPOTENCY_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests with an Idempotency-Key an API key may make in 24 hours. All keys together may make ten times as many.",
    expects: "an integer from 1 to 100000000",
    default: String(usualClaimLimits.ofLine),
  }),
  anonymousQuota: setting(parseQuota, {
    flag: "anonymous-limit",
    environment: "ANONYMOUS_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests without a key one IP address may make per second; 1000/10 for 1000 in 10 seconds.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/10",
    default: "1000/10",
  }),
  mostConnections: setting(integer(10, 1_000_000), {
    flag: "max-connections",
    environment: "MAX_CONNECTIONS",
    placeholder: "NUMBER",
    help: "The maximum number of open connections. Beyond it, idle ones are closed and requests get 503.",
    expects: "an integer from 10 to 1000000",
    default: "4096",
  }),
  trustedProxies: setting((text) => listOf(text, (part) => (isNetwork(part) ? part : undefined)), {
    flag: "trusted-proxy",
    environment: "TRUSTED_PROXIES",
    placeholder: "ADDRESS",
    help: "The address or network of a proxy that is trusted to name its clients' addresses. Repeat the flag for more.",
    expects: "one or more addresses or networks such as 10.0.0.0/8, separated by spaces",
    isRepeatable: true,
  }),
  corsOrigins: setting((text) => listOf(text, parseOrigin), {
    flag: "cors-origin",
    environment: "CORS_ORIGINS",
    placeholder: "ORIGIN",
    help: "An origin whose pages may call the API from a browser; * for all. Repeat the flag for more.",
    expects: "one or more origins such as https://shop.example, in lower case and without a path, or * for all",
    isRepeatable: true,
  }),
  publicUrl: setting(parseUrl, {
    flag: "public-url",
    environment: "PUBLIC_URL",
    placeholder: "URL",
    help: `The public URL, for the OpenAPI document and the links in responses; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`,
  }),
  stagingUrl: setting(parseUrl, {
    flag: "staging-url",
    environment: "STAGING_URL",
    placeholder: "URL",
    help: `The URL of the staging environment, for the OpenAPI document; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`,
  }),
  logLevel: setting(oneOf(logLevels), {
    flag: "log-level",
    environment: "LOG_LEVEL",
    placeholder: "LEVEL",
    help: `The lowest level that is logged: ${logLevels.join(", ")}. Each request is logged at info, each successful health check at debug.`,
    expects: `one of ${logLevels.join(", ")}`,
    default: "info",
  }),
  slowRequest: setting(integer(1, 600_000), {
    flag: "slow-request",
    environment: "SLOW_REQUEST",
    placeholder: "MILLISECONDS",
    help: "A request that takes longer is logged at the level warn, with where the time went.",
    expects: "an integer from 1 to 600000",
    default: "1000",
  }),
  slowStatement: setting(integer(1, 600_000), {
    flag: "slow-statement",
    environment: "SLOW_STATEMENT",
    placeholder: "MILLISECONDS",
    help: "A statement or a commit of the database that takes longer is logged at the level warn, without its values.",
    expects: "an integer from 1 to 600000",
    default: "500",
  }),
  serverTiming: setting(oneOf(["on", "off"]), {
    flag: "server-timing",
    environment: "SERVER_TIMING",
    placeholder: "SWITCH",
    help: "Whether every response says in Server-Timing where its time went: on or off.",
    expects: "one of on, off",
    default: "off",
  }),
  metricsPort: setting(integer(0, 65535), {
    flag: "metrics-port",
    environment: "METRICS_PORT",
    placeholder: "NUMBER",
    help: "A port for /metrics alone, without a key; 0 for any free port. By default, /metrics is on the port of the API and needs a key.",
    expects: "an integer from 0 to 65535",
  }),
  metricsHost: setting((text) => text || undefined, {
    flag: "metrics-host",
    environment: "METRICS_HOST",
    placeholder: "NAME",
    help: "The host name or address for --metrics-port. Default: that of --host",
    expects: "a host name or an address",
  }),
  ...tracingSettings,
};

export const serveCommand: Command = {
  name: "serve",
  usage: "serve [settings]",
  summary: "Start the service.",
  settings: serveSettings,
  async run(args) {
    const given = readSettings(serveSettings, args);
    const { host, port, database, replicas, poolSize, drainDelay, apiKey, publicUrl, stagingUrl, logLevel } = given;
    if (given.metricsHost !== undefined && given.metricsPort === undefined) {
      throw new SettingsError(["--metrics-host goes with --metrics-port, which was not given."]);
    }
    const tlsFiles = certificateFiles(given.tlsCert, given.tlsKey);
    const certificate = tlsFiles && readCertificate(tlsFiles);
    const log = new Log(logLevel, Boolean(process.stderr.isTTY));
    process.on("SIGUSR2", () => log.toggleDebug());
    const metrics = new Registry();
    const tracing = openTracing(given, version, log);
    const toldToStop = untilToldToStop(() => die(log, "stopped at once by a second signal"));
    const death = Promise.withResolvers<"death">();
    let isDead = false;
    const note: Note = (level, message, fields) => log.write(level, message, fields);
    const store = await openStore(withReplicas(database, replicas), {
      poolSize,
      claimLimits: claimLimits(given.mostClaims),
      onDeath(reason) {
        log.write("error", `the database can no longer be written to: ${reason}`);
        isDead = true;
        death.resolve("death");
      },
      note,
      metrics,
      slowStatementMs: given.slowStatement,
    });
    const metricsServer = await startMetrics(metrics, given, store, log);
    const addresses = configuredAddresses(publicUrl, stagingUrl);
    const { quota, anonymousQuota, mostConnections, trustedProxies = [], corsOrigins = [] } = given;
    const pages = await importPages();
    if (!pages) log.write("warn", "the console was not built: run npm run build");
    const parts: ServiceParts = {
      store,
      log,
      metrics,
      tracer: tracing?.tracer,
      servesMetrics: metricsServer === undefined,
      tellsTiming: given.serverTiming === "on",
      slowRequestMs: given.slowRequest,
      stopwatch: () => performance.now(),
      host,
      port,
      certificate,
      addresses,
      publicPath: publicUrl && new URL(publicUrl).pathname,
      environmentKey: apiKey,
      quota,
      anonymousQuota,
      mostConnections,
      trustedProxies,
      corsOrigins,
      pages,
    };
    const service = await start(parts, metricsServer);
    if (certificate) warnOfExpiry(certificate, log);
    if (tlsFiles) process.on("SIGHUP", () => renewCertificate(service, tlsFiles, log));
    if (apiKey !== undefined && looksGuessable(apiKey)) {
      log.write(
        "warn",
        "ANIMAL_STORE_API_KEY looks easy to guess: set a random one, for example with openssl rand -hex 24",
      );
    }
    // An operator who has configured a key needs no other, and would not look for one among the logs.
    const firstKey = apiKey === undefined ? await makeFirstKey(store) : undefined;
    const hasPages = pages !== undefined;
    console.log(readyNotice(service.url, hasPages));
    if (firstKey) console.log(firstKeyNotice(firstKey, service.url, hasPages));
    const cause = await Promise.race([toldToStop, death.promise]);
    if (cause !== "death") log.write("info", `stopping on ${cause}`);
    const hasStopped =
      cause === "death"
        ? await stop(service, log, farewellMilliseconds)
        : await stop(service, log, drainMilliseconds, drainDelay * 1000);
    await metricsServer?.stop();
    await tracing?.close();
    log.flush();
    return hasStopped && !isDead ? exitCodes.success : exitCodes.failure;
  },
};

/** A certificate that cannot be used leaves the old one in its place. */
function renewCertificate(service: Service, files: CertificateFiles, log: Log): void {
  try {
    const certificate = readCertificate(files);
    service.renewCertificate(certificate);
    log.write("info", "the TLS certificate was read again", { expires: certificate.expiresAt.toISOString() });
    warnOfExpiry(certificate, log);
  } catch (error) {
    const cause = (error as Error).message.replaceAll("\n", " ");
    log.write("error", "the TLS certificate could not be renewed, and the old one is still used", { cause });
  }
}

function warnOfExpiry({ expiresAt }: ReadCertificate, log: Log): void {
  if (expiresAt.getTime() > Date.now()) return;
  log.write("warn", "the TLS certificate has expired: renew it, then send SIGHUP", {
    expires: expiresAt.toISOString(),
  });
}

/** Whether a key looks like words rather than like random characters. */
export function looksGuessable(key: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(key)).length;
  return kinds < 2 || new Set(key).size < 10;
}

const drainMilliseconds = 10_000;
/** For those who have just been told that their write was not made. */
const farewellMilliseconds = 1_000;
const echoMilliseconds = 1_000;

/** The port for metrics alone, if there is to be one. It serves until everything else has ended. */
async function startMetrics(
  metrics: Registry,
  {
    host,
    metricsPort,
    metricsHost,
  }: { host: string; metricsPort?: number | undefined; metricsHost?: string | undefined },
  store: Store,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const hostFlag = metricsHost === undefined ? "--host" : "--metrics-host";
  const hostName = metricsHost ?? host;
  try {
    const server = listenForMetrics(metrics, hostName, metricsPort);
    log.write("info", "metrics are served", { url: server.url.href });
    return server;
  } catch (error) {
    await store.close();
    const reason = await listenFailure(error, hostName);
    throw new SettingsError([`--metrics-port ${metricsPort} cannot be used on ${hostFlag} ${hostName}: ${reason}.`]);
  }
}

async function start(parts: ServiceParts, metricsServer: MetricsServer | undefined): Promise<Service> {
  try {
    return new Service(parts);
  } catch (error) {
    await metricsServer?.stop();
    await parts.store.close();
    const reason = await listenFailure(error, parts.host);
    throw new SettingsError([`--port ${parts.port} cannot be used on --host ${parts.host}: ${reason}.`]);
  }
}

async function listenFailure(error: unknown, host: string): Promise<string> {
  const { code = "", message } = error as NodeJS.ErrnoException;
  // Of a host that cannot be looked up, the runtime says whatever went wrong last.
  const isKnown = await lookup(host).catch(() => undefined);
  return isKnown ? (listenFailures[code] ?? message) : "there is no such host";
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "it is already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have that address",
};

async function makeFirstKey(store: Store): Promise<string | undefined> {
  const key = generateKey();
  const description = { name: "first", scope: "admin", createdAt: store.clock(), expiresAt: null } as const;
  return (await store.keys.createFirst(description, { hash: hashKey(key) })) ? key : undefined;
}

/** Resolves at the first signal to stop; one that comes later means that somebody does not want to wait. */
function untilToldToStop(onImpatience: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first = Number.POSITIVE_INFINITY;
    const listener = (signal: NodeJS.Signals) => {
      // A terminal's Ctrl-C reaches the program twice, directly and through npm.
      if (performance.now() - first > echoMilliseconds) onImpatience();
      first = Math.min(first, performance.now());
      resolve(signal);
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, listener);
  });
}

/** Returns whether everything came to its end. */
async function stop(service: Service, log: Log, limitMs: number, delayMs = 0): Promise<boolean> {
  try {
    await service.stop(limitMs, delayMs);
    log.write("info", "stopped");
    return true;
  } catch (error) {
    log.write("error", "stopped before the store was closed: writes in progress may or may not have been saved", {
      cause: String(error),
    });
    return false;
  }
}

function die(log: Log, reason: string): never {
  log.write("error", reason);
  log.flush();
  process.exit(exitCodes.failure);
}

export function withReplicas(database: DatabaseAddress, replicas: readonly string[] = []): DatabaseAddress {
  if (replicas.length === 0) return database;
  if (database.kind === "postgres") return { ...database, replicas };
  throw new SettingsError(["--replica needs a PostgreSQL database, but --database names a SQLite file."]);
}

function configuredAddresses(publicUrl: string | undefined, stagingUrl: string | undefined): ServerAddress[] {
  return [
    ...(publicUrl ? [{ url: publicUrl, description: "Production" }] : []),
    ...(stagingUrl ? [{ url: stagingUrl, description: "Staging" }] : []),
  ];
}

function parseSeconds(text: string): number | undefined {
  return /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(text) && Number(text) <= 600 ? Number(text) : undefined;
}

function parseQuota(text: string): Quota | undefined {
  const [, requests, seconds = "1"] = /^([1-9][0-9]{0,8})(?:\/([1-9][0-9]{0,4}))?$/.exec(text) ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), seconds: Number(seconds) };
}

function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return text === "*" || (url && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes("*"))
    ? text
    : undefined;
}

/** The parts of a list; undefined if one of them is none. */
function listOf(text: string, parse: (part: string) => string | undefined): string[] | undefined {
  const parts = text.trim().split(/\s+/).map(parse);
  return parts.includes(undefined) ? undefined : parts.map(String);
}

function parseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith(basePath)) return undefined;
  return url.username || url.password || url.search || url.hash ? undefined : text;
}
