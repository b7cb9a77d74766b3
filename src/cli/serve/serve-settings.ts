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
  apiKey: setting("ANIMAL_STORE_API_KEY", parseApiKey, {
    help: "An admin key that is accepted in addition to those in the store.",
    expects: "16 characters or more, without spaces at either end",
    isSecret: true,
  }),
  drainDelay: setting("--drain-delay SECONDS, DRAIN_DELAY", parseSeconds, {
    help: "How long to keep serving, with /readyz at 503, before stopping.",
    expects: "a number of seconds from 0 to 600",
    default: "0",
  }),
  quota: setting("--rate-limit NUMBER, RATE_LIMIT", parseQuota, {
    help: "How many requests a key may make per second; 1000/60 for 1000 in 60 seconds. Unlimited by default.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/60",
  }),
  maxIdempotentRequests: integerSetting("--idempotency-limit NUMBER, IDEMPOTENCY_LIMIT", [1, 100_000_000], {
    help: "How many requests with an Idempotency-Key an API key may make in 24 hours. All keys together may make ten times as many.",
    default: String(defaultIdempotencyLimits.perFamily),
  }),
  eventRetentionMs: setting("--event-retention TIME, EVENT_RETENTION", parseRetention, {
    help: "How long events are kept, such as 90d or 12h.",
    expects: "a duration from 1m to 99999d, such as 90d or 12h",
    default: "30d",
  }),
  anonymousQuota: setting("--anonymous-limit NUMBER, ANONYMOUS_LIMIT", parseQuota, {
    help: "How many requests without a key one IP address may make per second; 1000/10 for 1000 in 10 seconds.",
    expects: "a number of requests per second such as 100, or requests/seconds such as 1000/10",
    default: "1000/10",
  }),
  maxConnections: integerSetting("--max-connections NUMBER, MAX_CONNECTIONS", [10, 1_000_000], {
    help: "The maximum number of open connections, beyond which idle ones are closed, and of requests in progress, beyond which new ones get 503.",
    default: "4096",
  }),
  trustedProxies: setting("--trusted-proxy ADDRESS, TRUSTED_PROXIES", parseNetworks, {
    help: "The address or network of a proxy whose forwarding headers are trusted. Repeat the flag for more.",
    expects: "one or more addresses or networks such as 10.0.0.0/8, separated by spaces",
    isRepeatable: true,
  }),
  corsOrigins: setting("--cors-origin ORIGIN, CORS_ORIGINS", parseOrigins, {
    help: "An origin whose pages may call the API from a browser; * for all. Repeat the flag for more.",
    expects: "one or more origins such as https://shop.example, in lower case and without a path, or * for all",
    isRepeatable: true,
  }),
  publicUrl: setting("--public-url URL, PUBLIC_URL", parseApiUrl, {
    help: `The public URL, for the OpenAPI document and the links in responses; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`,
  }),
  stagingUrl: setting("--staging-url URL, STAGING_URL", parseApiUrl, {
    help: `The URL of the staging environment, for the OpenAPI document; it includes ${basePath}.`,
    expects: `an http or https URL whose path ends in ${basePath}`,
  }),
  webhookKey: setting("ANIMAL_STORE_WEBHOOK_KEY", parseWebhookKey, {
    help: "The key that the secrets of webhooks are encrypted with. Without it, there are no webhooks.",
    expects: "32 bytes in base64, or a passphrase of 16 characters or more",
    isSecret: true,
  }),
  webhookNetworks: setting("--webhook-allow NETWORK, WEBHOOK_ALLOW", parseNetworks, {
    help: "A network that webhooks may send to although it is not public, even without TLS. Repeat the flag for more.",
    expects: "one or more addresses or networks such as 10.0.0.0/8, separated by commas or spaces",
    isRepeatable: true,
  }),
  logLevel: choiceSetting("--log-level LEVEL, LOG_LEVEL", logLevels, {
    help: `The lowest level that is logged: ${logLevels.join(", ")}. Each request is logged at info, each successful health check at debug.`,
    default: "info",
  }),
  slowRequest: integerSetting("--slow-request MILLISECONDS, SLOW_REQUEST", [1, 600_000], {
    help: "Requests that take longer are logged at level warn, with a breakdown of the time.",
    default: "1000",
  }),
  slowStatement: integerSetting("--slow-statement MILLISECONDS, SLOW_STATEMENT", [1, 600_000], {
    help: "Database statements and commits that take longer are logged at level warn, without their values.",
    default: "500",
  }),
  serverTiming: choiceSetting("--server-timing SWITCH, SERVER_TIMING", ["on", "off"], {
    help: "Whether every response shows in Server-Timing where the time went: on or off.",
    default: "off",
  }),
  metricsPort: integerSetting("--metrics-port NUMBER, METRICS_PORT", [0, 65535], {
    help: "A port for /metrics alone, without a key; 0 for any free port. By default, /metrics is on the port of the API and needs a key.",
  }),
  metricsHost: textSetting("--metrics-host NAME, METRICS_HOST", {
    help: "The host name or address for --metrics-port. Default: that of --host",
  }),
  ...tracingSettings,
};

export type ServeSettings = SettingValues<typeof serveSettings>;

export function looksGuessable(key: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(key)).length;
  return kinds < 2 || new Set(key).size < 10;
}

export function requireOwnMetricsPort({ host, port, metricsHost, metricsPort }: ServeSettings): void {
  if (metricsHost !== undefined && metricsPort === undefined) {
    throw new SettingsError("--metrics-host needs --metrics-port, which was not given.");
  }
  // Two ports 0 do not collide, because the kernel chooses a free port for each.
  if (metricsPort === port && port !== 0 && (metricsHost ?? host) === host) {
    throw new SettingsError(`--metrics-port and --port must differ, but both are ${port}.`);
  }
}

function parseApiKey(text: string): string | undefined {
  return [...text].length >= 16 && /^\S[^\p{Cc}]*\S$/u.test(text) ? text : undefined;
}

function parseSeconds(text: string): number | undefined {
  return /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(text) && Number(text) <= 600 ? Number(text) : undefined;
}

function parseQuota(text: string): Quota | undefined {
  const [, requests, seconds = "1"] = /^([1-9][0-9]{0,8})(?:\/([1-9][0-9]{0,4}))?$/.exec(text) ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), seconds: Number(seconds) };
}

function parseNetworks(text: string): string[] | undefined {
  return parseList(text, isNetwork);
}

function parseOrigins(text: string): string[] | undefined {
  return parseList(text, (part) => part === "*" || (parseHttpUrl(part)?.origin === part && !part.includes("*")));
}

function parseList(text: string, isValid: (part: string) => boolean): string[] | undefined {
  const parts = text.trim().split(/[\s,]+/);
  return parts.every(isValid) ? parts : undefined;
}

function parseApiUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (!url?.pathname.endsWith(basePath)) return undefined;
  return url.username || url.password || url.search || url.hash ? undefined : text;
}

function parseRetention(text: string): number | undefined {
  const milliseconds = parseDuration(text);
  return milliseconds !== undefined && milliseconds >= 60_000 ? milliseconds : undefined;
}
