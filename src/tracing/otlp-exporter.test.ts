import { expect, test } from "bun:test";
import { requestBody } from "./otlp-exporter.ts";
import type { FinishedSpan } from "./tracer.ts";

test("times are sent to the nanosecond, with the zeros within them", () => {
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
  const [sent] = JSON.parse(requestBody([span], {})).resourceSpans[0].scopeSpans[0].spans;
  expect(sent).toMatchObject({
    startTimeUnixNano: "1795000000000000000",
    endTimeUnixNano: "1795000000000031250",
  });
});
