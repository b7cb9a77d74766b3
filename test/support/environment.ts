export const settingVariables = `
  ANIMAL_STORE_API_KEY ANIMAL_STORE_PROFILE ANIMAL_STORE_URL ANIMAL_STORE_WEBHOOK_KEY ANONYMOUS_LIMIT
  CORS_ORIGINS DATABASE_POOL_SIZE DATABASE_REPLICA_URLS DATABASE_URL DRAIN_DELAY
  EVENT_RETENTION HOST IDEMPOTENCY_LIMIT LOG_LEVEL MAX_CONNECTIONS
  METRICS_HOST METRICS_PORT OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_PROTOCOL
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_RESOURCE_ATTRIBUTES OTEL_SDK_DISABLED OTEL_SERVICE_NAME OTEL_TRACES_EXPORTER
  OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG PORT PUBLIC_URL RATE_LIMIT
  SERVER_TIMING SLOW_REQUEST SLOW_STATEMENT STAGING_URL TLS_CERT
  TLS_KEY TRUSTED_PROXIES WEBHOOK_ALLOW
`
  .trim()
  .split(/\s+/);

/** Variables that change the output, the connections or the runtime of any program. */
const foreignVariablePattern =
  /^((http|https|all|no)_proxy|(no|force)_color|clicolor.*|xdg_config_home|pg[a-z]+|(bun_jsc|mimalloc)_.+)$/i;

/** Removes variables that would affect the tests, or programs that inherit `process.env` from a test. */
export function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) {
    if (settingVariables.includes(name) || foreignVariablePattern.test(name)) delete process.env[name];
  }
}
