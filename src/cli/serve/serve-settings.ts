import type { Quota } from "../../access/rate-limit.ts";
import { isNetwork } from "../../base/network.ts";
import {
  choiceSetting,
  integerSetting,
  parseHttpUrl,
  SettingsError,
  type SettingValues,
  setting,
  textSetting,
} from "../../config.ts";
import { logLevels } from "../../log/log.ts";
import { basePath } from "../../operations/operation.ts";
import { parseWebhookKey } from "../../sealing/secret-box.ts";
import { defaultIdempotencyLimits } from "../../store/idempotency-quota.ts";
import { databaseSetting, poolSizeSetting, replicasSetting } from "../store/database-settings.ts";
import { parseDuration } from "../terminal/time.ts";
import { certificateSetting, hostSetting, portSetting, privateKeySetting } from "./listening.ts";
import { tracingSettings } from "./tracing.ts";

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
  maxIdempotentRequests: integerSetting(1, 100_000_000, {
    flag: "idempotency-limit",
    environment: "IDEMPOTENCY_LIMIT",
    help: "How many requests with an Idempotency-Key an API key may make in 24 hours. All keys together may make ten times as many.",
    default: String(defaultIdempotencyLimits.perFamily),
  }),
  eventRetentionMs: setting(parseRetention, {
    flag: "event-retention",
    environment: "EVENT_RETENTION",
    placeholder: "TIME",
    help: "How long events are kept, such as 90d or 12h.",
    expects: "a duration from 1m to 99999d, such as 90d or 12h",
    default: "30d",
  }),
  anonymousQuota: setting(parseQuota, {
    flag: "anonymous-limit",
    environment: "ANONYMOUS_LIMIT",
    placeholder: "NUMBER",
    help: "How many requests without a key one IP address may make per second; 1000/10 for 1000 in 10 seconds.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/10",
    default: "1000/10",
  }),
  maxConnections: integerSetting(10, 1_000_000, {
    flag: "max-connections",
    environment: "MAX_CONNECTIONS",
    help: "The maximum number of open connections, beyond which idle ones are closed, and of requests in progress, beyond which new ones get 503.",
    default: "4096",
  }),
  trustedProxies: setting((text) => listOf(text, (part) => (isNetwork(part) ? part : undefined)), {
    flag: "trusted-proxy",
    environment: "TRUSTED_PROXIES",
    placeholder: "ADDRESS",
    help: "The address or network of a proxy whose forwarding headers are trusted. Repeat the flag for more.",
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
  webhookKey: setting(parseWebhookKey, {
    environment: "ANIMAL_STORE_WEBHOOK_KEY",
    placeholder: "KEY",
    help: "The key that the secrets of webhooks are encrypted with. Without it, there are no webhooks.",
    expects: "32 bytes in base64, or a passphrase of 16 characters or more",
    secret: true,
  }),
  webhookNetworks: setting(
    (text) => listOf(text.replaceAll(",", " "), (part) => (isNetwork(part) ? part : undefined)),
    {
      flag: "webhook-allow",
      environment: "WEBHOOK_ALLOW",
      placeholder: "NETWORK",
      help: "A network that webhooks may send to although it is not public, even without TLS. Repeat the flag for more.",
      expects: "one or more addresses or networks such as 10.0.0.0/8, separated by commas or spaces",
      isRepeatable: true,
    },
  ),
  logLevel: choiceSetting(logLevels, {
    flag: "log-level",
    environment: "LOG_LEVEL",
    placeholder: "LEVEL",
    help: `The lowest level that is logged: ${logLevels.join(", ")}. Each request is logged at info, each successful health check at debug.`,
    default: "info",
  }),
  slowRequest: integerSetting(1, 600_000, {
    flag: "slow-request",
    environment: "SLOW_REQUEST",
    placeholder: "MILLISECONDS",
    help: "Requests that take longer are logged at level warn, with a breakdown of the time.",
    default: "1000",
  }),
  slowStatement: integerSetting(1, 600_000, {
    flag: "slow-statement",
    environment: "SLOW_STATEMENT",
    placeholder: "MILLISECONDS",
    help: "Database statements and commits that take longer are logged at level warn, without their values.",
    default: "500",
  }),
  serverTiming: choiceSetting(["on", "off"], {
    flag: "server-timing",
    environment: "SERVER_TIMING",
    placeholder: "SWITCH",
    help: "Whether every response shows in Server-Timing where the time went: on or off.",
    default: "off",
  }),
  metricsPort: integerSetting(0, 65535, {
    flag: "metrics-port",
    environment: "METRICS_PORT",
    help: "A port for /metrics alone, without a key; 0 for any free port. By default, /metrics is on the port of the API and needs a key.",
  }),
  metricsHost: textSetting({
    flag: "metrics-host",
    environment: "METRICS_HOST",
    placeholder: "NAME",
    help: "The host name or address for --metrics-port. Default: that of --host",
    expects: "a host name or an address",
  }),
  ...tracingSettings,
};

export type ServeSettings = SettingValues<typeof serveSettings>;

/** Returns true if a key looks like words, not like random characters. */
export function looksGuessable(key: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(key)).length;
  return kinds < 2 || new Set(key).size < 10;
}

/** Throws SettingsError if the settings of the port for metrics contradict others. */
export function requireOwnMetricsPort({ host, port, metricsHost, metricsPort }: ServeSettings): void {
  if (metricsHost !== undefined && metricsPort === undefined) {
    throw new SettingsError(["--metrics-host needs --metrics-port, which was not given."]);
  }
  // Port 0 stands for a free port, different each time.
  if (metricsPort === port && port !== 0 && (metricsHost ?? host) === host) {
    throw new SettingsError([`--metrics-port and --port must differ, but both are ${port}.`]);
  }
}

function parseSeconds(text: string): number | undefined {
  return /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(text) && Number(text) <= 600 ? Number(text) : undefined;
}

function parseQuota(text: string): Quota | undefined {
  const [, requests, seconds = "1"] = /^([1-9][0-9]{0,8})(?:\/([1-9][0-9]{0,4}))?$/.exec(text) ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), seconds: Number(seconds) };
}

function parseOrigin(text: string): string | undefined {
  const isOrigin = parseHttpUrl(text)?.origin === text && !text.includes("*");
  return text === "*" || isOrigin ? text : undefined;
}

function listOf(text: string, parse: (part: string) => string | undefined): string[] | undefined {
  const parts = text.trim().split(/\s+/).map(parse);
  return parts.includes(undefined) ? undefined : parts.map(String);
}

function parseUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (!url?.pathname.endsWith(basePath)) return undefined;
  return url.username || url.password || url.search || url.hash ? undefined : text;
}

function parseRetention(text: string): number | undefined {
  const milliseconds = parseDuration(text);
  return milliseconds !== undefined && milliseconds >= minRetentionMs ? milliseconds : undefined;
}

const minRetentionMs = 60_000;
