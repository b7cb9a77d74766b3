import { ifPossible } from "../../base/files.ts";
import { choiceParser, parseHttpUrl, type Settings, type SettingValues, setting, textSetting } from "../../config.ts";
import type { Log } from "../../log/log.ts";
import { OtlpExporter } from "../../tracing/otlp-exporter.ts";
import { type Attributes, Tracer } from "../../tracing/tracer.ts";

const samplers = ["always_on", "always_off", "traceidratio"].flatMap((name) => [name, `parentbased_${name}`]);

/** The variables of OpenTelemetry, whose specification requires programs to ignore case, and to warn about unknown values. */
export const tracingSettings = ignoredIfWrong({
  tracesEndpoint: setting("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", parseUrl, {
    help: "Where traces are sent, as OTLP over HTTP with JSON. Without an endpoint, nothing is traced.",
    expects: "an http or https address",
  }),
  otlpEndpoint: setting("OTEL_EXPORTER_OTLP_ENDPOINT", parseUrl, {
    help: "The address of a collector, such as http://localhost:4318; traces go to /v1/traces there.",
    expects: "an http or https address",
  }),
  sendsTraces: setting("OTEL_TRACES_EXPORTER", inAnyCase(parseExporters), {
    help: "none to trace nothing.",
    expects: "otlp or none",
    default: "otlp",
  }),
  otlpProtocol: setting("OTEL_EXPORTER_OTLP_PROTOCOL", inAnyCase(choiceParser(["http/json", "http/protobuf"])), {
    help: "Traces are always sent as http/json, which collectors that accept http/protobuf accept as well.",
    expects: "http/json or http/protobuf; gRPC is not supported",
    default: "http/json",
  }),
  otlpHeaders: setting("OTEL_EXPORTER_OTLP_HEADERS", parseHeaders, {
    help: "Headers for the collector, as name=value,name=value.",
    expects: "a list such as api-key=secret,tenant=shop",
    default: "",
    isSecret: true,
  }),
  serviceName: textSetting("OTEL_SERVICE_NAME", { help: "The name of the service in traces, if not animal-store." }),
  resourceAttributes: setting("OTEL_RESOURCE_ATTRIBUTES", parsePairs, {
    help: "Further attributes of the service in traces, as name=value,name=value.",
    expects: "a list such as deployment.environment.name=production",
    default: "",
  }),
  sampler: setting("OTEL_TRACES_SAMPLER", inAnyCase(choiceParser(samplers)), {
    help: "The sampler, which decides what is traced.",
    expects: `one of ${samplers.join(", ")}`,
    default: "parentbased_always_on",
  }),
  samplerShare: setting("OTEL_TRACES_SAMPLER_ARG", parseShare, {
    help: "The fraction of requests that a ratio sampler traces, such as 0.01.",
    expects: "a number from 0 to 1",
    default: "1",
  }),
  sdkDisabled: setting("OTEL_SDK_DISABLED", inAnyCase(choiceParser(["true", "false"])), {
    help: "true to trace nothing.",
    expects: "true or false",
    default: "false",
  }),
});

function ignoredIfWrong<Named extends Settings>(settings: Named): Named {
  const entries = Object.entries(settings).map(([name, one]) => [name, { ...one, isIgnoredIfWrong: true }]);
  return Object.fromEntries(entries) as Named;
}

export function openTracing(settings: SettingValues<typeof tracingSettings>, version: string, log: Log) {
  const { tracesEndpoint, otlpEndpoint, otlpHeaders, sendsTraces, sdkDisabled } = settings;
  const url = tracesEndpoint ?? (otlpEndpoint && `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || sdkDisabled === "true" || !sendsTraces) return undefined;
  const resource: Attributes = {
    "service.name": "animal-store",
    "service.version": version,
    ...settings.resourceAttributes,
    ...(settings.serviceName !== undefined && { "service.name": settings.serviceName }),
  };
  const exporter = new OtlpExporter({
    url,
    headers: otlpHeaders,
    resource,
    onProblem(reason, lost) {
      log.write("warn", lost > 0 ? "traces were lost" : "the collector of traces has a warning", { reason, lost });
    },
  });
  const [, parent, sampler = ""] = /^(parentbased_)?(.*)$/.exec(settings.sampler) ?? [];
  const ratio = sampler === "traceidratio" ? settings.samplerShare : Number(sampler === "always_on");
  const tracer = new Tracer(exporter, { ratio, followsParent: parent !== undefined });
  return { tracer, close: () => exporter.close() };
}

function inAnyCase<Value>(parse: (text: string) => Value | undefined): (text: string) => Value | undefined {
  return (text) => parse(text.toLowerCase());
}

function parseUrl(text: string): string | undefined {
  return parseHttpUrl(text) ? text : undefined;
}

/** Parses W3C Baggage, whose values are percent-encoded. */
function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  if (!entries.every((entry) => entry !== null)) return undefined;
  return ifPossible(() =>
    Object.fromEntries(entries.map(([, name = "", value = ""]) => [name, decodeURIComponent(value.trim())])),
  );
}

function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = parsePairs(text);
  return ifPossible(() => new Headers(pairs)) && pairs;
}

function parseShare(text: string): number | undefined {
  const share = Number(text);
  return text.trim() !== "" && share >= 0 && share <= 1 ? share : undefined;
}

function parseExporters(text: string): boolean | undefined {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("otlp")) return true;
  return names.includes("none") ? false : undefined;
}
