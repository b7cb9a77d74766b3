import { expect, test } from "bun:test";
import { programKey, RunningProgram } from "../support/program.ts";
import { RawConnection } from "../support/raw.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(startCollector);

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const rex = { name: "Rex", categoryId: 7 };

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

function startCollector() {
  const spans: SentSpan[] = [];
  const requests: { path: string; headers: Headers; resource: Record<string, unknown> }[] = [];
  const listeners: (() => void)[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { resourceSpans } = (await request.json()) as {
        resourceSpans: { resource: { attributes: SentSpan["attributes"] }; scopeSpans: { spans: SentSpan[] }[] }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        requests.push({
          path: new URL(request.url).pathname,
          headers: request.headers,
          resource: attributesOf(resource),
        });
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      for (const notify of listeners.splice(0)) notify();
      return Response.json({});
    },
  });
  return {
    url: server.url.origin,
    requests,
    /** Returns the spans of a trace once at least `count` spans have arrived. */
    async spansOf(trace: string, count: number): Promise<SentSpan[]> {
      for (;;) {
        const traceSpans = spans.filter((span) => span.traceId === trace);
        if (traceSpans.length >= count) return traceSpans;
        await new Promise<void>((resolve) => listeners.push(resolve));
      }
    },
    all: spans,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function attributesOf({ attributes }: Pick<SentSpan, "attributes">): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function start(environment: Record<string, string>) {
  return await RunningProgram.startNew({ environment });
}

it("the trace of a create has spans for the queue, the commit and the response, in the caller's trace", async (collector) => {
  await using program = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20secret",
    OTEL_SERVICE_NAME: "shop",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const headers = { traceparent: `00-${traceId}-${parentId}-01` };
  const created = await program.client.call("/v1/pets", { body: rex, headers });
  expect(created.status).toBe(201);

  const spans = await collector.spansOf(traceId, 5);
  const request = spans.find(({ kind }) => kind === 2);
  if (!request) throw new Error("There is no span of the request.");
  expect(request.parentSpanId).toBe(parentId);
  expect(request.name).toBe("POST /v1/pets");
  expect(attributesOf(request)).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/v1/pets",
    "http.response.status_code": "201",
    "animal_store.operation": "createPet",
    "animal_store.request_id": created.headers.get("x-request-id"),
  });
  const childSpans = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  expect(childSpans.map(({ name }) => name)).toEqual(["body", "queue", "commit", "answer"]);
  const times = childSpans.flatMap((span) => [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]);
  expect(times).toEqual(times.toSorted((one, other) => Number(one - other)));
  expect(BigInt(request.startTimeUnixNano)).toBeLessThanOrEqual(times[0] as bigint);
  expect(BigInt(request.endTimeUnixNano)).toBe(times.at(-1) as bigint);
  const [sent] = collector.requests;
  expect([sent?.path, sent?.headers.get("api-key")]).toEqual(["/v1/traces", "a secret"]);
  expect(sent?.resource).toMatchObject({ "service.name": "shop", "deployment.environment.name": "test" });

  expect(await program.signal("SIGTERM")).toBe(0);
  const lines = await program.readLog();
  const line = lines.find(({ operation }) => operation === "createPet");
  expect([line.traceId, line.spanId]).toEqual([traceId, request.spanId]);
});

it("a request without a trace context starts a trace, and a read has spans of its own", async (collector) => {
  await using program = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom` });
  await program.client.call("/v1/pets/1");
  expect(await program.signal("SIGTERM")).toBe(0);
  const [request] = collector.all.filter(({ name }) => name === "GET /v1/pets/:petId");
  expect(request?.parentSpanId).toBeUndefined();
  expect(request?.status).toEqual({});
  expect(collector.requests[0]?.path).toBe("/custom");
  const childSpans = collector.all.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(childSpans.map(({ name }) => name)).toEqual(["read", "answer"]);
});

it("the caller and the sampler decide which traces are kept", async (collector) => {
  await using program = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0",
  });
  const call = (traceparent?: string) =>
    program.client.call("/v1/pets", { headers: traceparent ? { traceparent } : {} });
  for (let round = 0; round < 20; round++) await call();
  await call(`00-${traceId.replace("4", "5")}-${parentId}-00`);
  await call("nonsense");
  await call(`00-${traceId}-${parentId}-01`);
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(new Set(collector.all.map((span) => span.traceId))).toEqual(new Set([traceId]));
});

it("anonymous requests do not affect sampling, and their spans contain no key and have a bounded size", async (collector) => {
  await using program = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
  });
  const headers = { traceparent: `00-${traceId}-${parentId}-01`, "user-agent": "x".repeat(5_000) };
  await program.client.call("/healthz", { key: null, headers });
  await program.client.call("/v1/pets", { key: null, headers });
  await program.client.call(`/v1/pets/ask_${"A".repeat(36)}`, { headers });
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(collector.all.filter(({ kind }) => kind === 2).map(({ name }) => name)).toEqual(["GET /v1/pets/:petId"]);
  expect(JSON.stringify(collector.all)).not.toContain("AAAA");
  expect(JSON.stringify(collector.all).length).toBeLessThan(2_000);
});

it("traces contain no key that a client has put in the wrong place", async (collector) => {
  await using program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const keyLikeText = `ask_${"A".repeat(36)}`;
  await program.client.call("/v1/pets", { headers: { "user-agent": `curl ${programKey}` } });
  await program.client.call("/v1/pets", { headers: { "user-agent": keyLikeText } });
  using connection = new RawConnection(program.client.url);
  const fields = `Host: x\r\nAuthorization: Bearer ${programKey}\r\nUser-Agent: mail/1.0`;
  connection.send(`${programKey} /v1/pets HTTP/1.1\r\n${fields}\r\n\r\n`);
  expect((await connection.response())?.status).toBe(405);
  expect(await program.signal("SIGTERM")).toBe(0);
  const requests = collector.all.filter(({ kind }) => kind === 2).map(attributesOf);
  expect(requests).toHaveLength(3);
  expect(requests[2]).toMatchObject({ "http.request.method": "_OTHER", "user_agent.original": "mail/1.0" });
  for (const key of [programKey, keyLikeText]) expect(JSON.stringify(collector.all)).not.toContain(key);
});

test("the log counts the traces that a hanging collector has not accepted when the service stops", async () => {
  const hanging = Promise.withResolvers<Response>();
  await using collector = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => hanging.promise });
  await using program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin });
  await program.client.call("/v1/store/inventory");
  expect(await program.signal("SIGTERM")).toBe(0);
  hanging.resolve(Response.json({}));
  const lines = await program.readLog();
  const lost = lines.filter(({ message }) => message === "traces were lost");
  expect(lost.map(({ lost: count }) => count > 0)).toEqual([true]);
});

test("traces are sent with backoff while the collector refuses them, and arrive once it accepts them", async () => {
  let refusalCount = 0;
  const accepted = Promise.withResolvers<void>();
  let isBroken = true;
  await using collector = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      if (isBroken) refusalCount++;
      else accepted.resolve();
      return new Response(null, { status: isBroken ? 503 : 200 });
    },
  });
  await using program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin });
  const batchCount = 40;
  const spansPerRead = 3;
  for (let requestCount = 0; requestCount < (batchCount * 512) / spansPerRead; requestCount += 64) {
    await Promise.all(Array.from({ length: 64 }, () => program.client.call("/v1/store/inventory")));
  }
  // Without backoff, there would be a request per full batch.
  expect(refusalCount).toBeLessThan(batchCount / 2);
  isBroken = false;
  await program.client.call("/v1/store/inventory");
  await accepted.promise;
  expect(await program.signal("SIGTERM")).toBe(0);
});

test("without a collector, requests succeed, and the log reports the lost traces", async () => {
  await using program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  for (let round = 0; round < 20; round++) {
    expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(201);
  }
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(await program.child.stderr.text()).toContain("traces were lost");
});

test.each([
  ["OTEL_SDK_DISABLED", "TRUE"],
  ["OTEL_TRACES_EXPORTER", "None"],
])("the service sends no traces with %s=%s", async (name, value) => {
  await using collector = startCollector();
  await using program = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, [name]: value });
  await program.client.call("/v1/pets", { headers: { traceparent: `00-${traceId}-${parentId}-01` } });
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(collector.requests).toEqual([]);
  expect(await program.child.stderr.text()).not.toContain("a setting is ignored");
});

const wrongSettings = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "user:hidden@localhost:4318",
  OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  OTEL_EXPORTER_OTLP_HEADERS: "api-key=hidden%0Ab",
  OTEL_RESOURCE_ATTRIBUTES: "nothing",
  OTEL_TRACES_EXPORTER: "jaeger",
  OTEL_TRACES_SAMPLER: "sometimes",
  OTEL_TRACES_SAMPLER_ARG: "2",
  OTEL_SDK_DISABLED: "yes",
};

it("each wrong tracing setting is ignored with a warning", async (collector) => {
  await using program = await start({ ...wrongSettings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await program.client.call("/v1/pets", { headers: { traceparent: `00-${traceId}-${parentId}-01` } });
  await collector.spansOf(traceId, 1);
  expect(collector.requests[0]?.path).toBe("/v1/traces");
  expect(await program.signal("SIGTERM")).toBe(0);
  const lines = (await program.child.stderr.text()).trim().split("\n");
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "a setting is ignored");
  for (const name of Object.keys(wrongSettings)) {
    expect(warnings).toContainEqual(
      expect.objectContaining({ level: "warn", cause: expect.stringContaining(`${name} must be `) }),
    );
  }
  expect(warnings).toHaveLength(Object.keys(wrongSettings).length);
  expect(JSON.stringify(warnings)).not.toContain("hidden");
});

test("wrong tracing settings do not stop a service that sends no traces", async () => {
  await using program = await start(wrongSettings);
  expect((await program.client.call("/v1/pets")).status).toBe(200);
  expect(await program.signal("SIGTERM")).toBe(0);
});
