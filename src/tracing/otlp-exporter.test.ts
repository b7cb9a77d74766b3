import { expect, test } from "bun:test";
import { findFreePort } from "../../test/support/postgres.ts";
import { formatRequest, OtlpExporter } from "./otlp-exporter.ts";
import type { FinishedSpan } from "./tracer.ts";

const span: FinishedSpan = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentId: undefined,
  name: "GET /v1/pets",
  kind: "server",
  startMs: 1_795_000_000_000,
  endMs: 1_795_000_000_000 + 1 / 32,
  attributes: {},
  error: undefined,
};

test("the times of spans are sent in nanoseconds, with the leading zeros of the fraction", () => {
  const [sent] = JSON.parse(formatRequest([span], {})).resourceSpans[0].scopeSpans[0].spans;
  expect(sent).toMatchObject({
    startTimeUnixNano: "1795000000000000000",
    endTimeUnixNano: "1795000000000031250",
  });
});

/** Starts a collector that sends these responses in turn and repeats the last one, and an exporter to it. */
function startCollector(...responses: readonly (() => Response)[]) {
  const received: string[][] = [];
  const problems: [reason: string, lost: number][] = [];
  const changeCallbacks: (() => void)[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { resourceSpans } = (await request.json()) as {
        resourceSpans: [{ scopeSpans: [{ spans: { name: string }[] }] }];
      };
      received.push(resourceSpans[0].scopeSpans[0].spans.map(({ name }) => name));
      for (const notify of changeCallbacks.splice(0)) notify();
      return responses[Math.min(received.length, responses.length) - 1]?.() ?? respondOk();
    },
  });
  const exporter = new OtlpExporter({
    url: server.url.href,
    headers: {},
    resource: {},
    onProblem(reason, lost) {
      problems.push([reason, lost]);
      for (const notify of changeCallbacks.splice(0)) notify();
    },
  });
  return {
    received,
    problems,
    exporter,
    send(...names: readonly string[]): void {
      for (const name of names) exporter.export({ ...span, name });
    },
    async until(condition: () => boolean): Promise<void> {
      while (!condition()) await new Promise<void>((resolve) => changeCallbacks.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      await exporter.close();
      await server.stop(true);
    },
  };
}

const respondOk = () => Response.json({});
const createRefusal = (status: number) => () => new Response(null, { status });

test.concurrent.each([429, 502, 503, 504])("spans are sent again after a response of %d", async (status) => {
  await using collector = startCollector(createRefusal(status), respondOk);
  collector.send("a", "b");
  await collector.until(() => collector.received.length === 2);
  expect(collector.received).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  expect(collector.problems).toEqual([]);
});

test.concurrent.each([400, 401, 413, 500, 501])("spans are lost after a response of %d", async (status) => {
  await using collector = startCollector(createRefusal(status), respondOk);
  collector.send("a", "b");
  await collector.until(() => collector.problems.length === 1);
  collector.send("c");
  await collector.until(() => collector.received.length === 2);
  expect(collector.received[1]).toEqual(["c"]);
  expect(collector.problems).toEqual([[`it answered ${status}`, 2]]);
});

test.concurrent("spans are not sent again before the time of Retry-After, even if other spans end meanwhile", async () => {
  const respondBusy = () => new Response(null, { status: 503, headers: { "Retry-After": "4" } });
  await using collector = startCollector(respondBusy, respondOk);
  collector.send("a");
  await collector.until(() => collector.received.length === 1);
  // The exporter has not received the response with Retry-After yet.
  collector.send("b");
  // This timer starts before the exporter's and is shorter, so both fire in this order even if a slow machine delays them.
  const earlier = Bun.sleep(3_500).then(() => [...collector.received]);
  await collector.until(() => collector.received.length === 2);
  expect(await earlier).toEqual([["a"]]);
  expect(collector.received[1]).toEqual(["a", "b"]);
  expect(collector.problems).toEqual([]);
});

test.concurrent("spans are sent again to a collector that could not be reached", async () => {
  const port = await findFreePort();
  const problems: unknown[] = [];
  const url = `http://127.0.0.1:${port}/`;
  const exporter = new OtlpExporter({ url, headers: {}, resource: {}, onProblem: (...args) => problems.push(args) });
  const refused = Promise.withResolvers<void>();
  const exported = Promise.withResolvers<string>();
  // Accepts a connection and closes it, like a stopping collector.
  const dropping = Bun.listen({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(socket) {
        socket.terminate();
        refused.resolve();
      },
    },
  });
  exporter.export(span);
  await refused.promise;
  dropping.stop(true);
  await using _ = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: async (request) => {
      exported.resolve(await request.text());
      return respondOk();
    },
  });
  expect(await exported.promise).toContain(span.spanId);
  await exporter.close();
  expect(problems).toEqual([]);
});

test.concurrent("spans that a successful response rejects are counted as lost, and not sent again", async () => {
  const partial = () => Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } });
  const nothing = () => Response.json({ partialSuccess: {} });
  const warning = () => Response.json({ partialSuccess: { errorMessage: "use protobuf" } });
  await using collector = startCollector(partial, warning, nothing, () => new Response());
  for (const name of ["a", "b", "c", "d"]) {
    const sent = collector.received.length;
    collector.send(name, name, name);
    await collector.until(() => collector.received.length > sent);
  }
  await collector.exporter.close();
  expect(collector.received.map(([name]) => name)).toEqual(["a", "b", "c", "d"]);
  expect(collector.problems).toEqual([
    ["the collector says: too old", 2],
    ["the collector says: use protobuf", 0],
  ]);
});

test.concurrent("when the service stops, spans that the collector refuses are lost after one attempt", async () => {
  await using collector = startCollector(createRefusal(503));
  collector.send("a", "b");
  await collector.exporter.close();
  expect(collector.received).toHaveLength(1);
  expect(collector.problems).toEqual([["it answered 503", 2]]);
});
