import { expect, test } from "bun:test";
import { generateSpanId, generateTraceId, parseTraceparent } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

test.each([
  [`00-${traceId}-${parentId}-01`, true],
  [`00-${traceId}-${parentId}-00`, false],
  [`00-${traceId}-${parentId}-03`, true],
  [` 00-${traceId}-${parentId}-01 `, true],
  [`cc-${traceId}-${parentId}-01-what-the-future-will-be-like`, true],
])("the traceparent %j is accepted", (header, isSampled) => {
  expect(parseTraceparent(header)).toEqual({ traceId, parentId, isSampled });
});

test.each([
  null,
  "",
  "nonsense",
  `ff-${traceId}-${parentId}-01`,
  `00-${traceId}-${parentId}-01-more`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${"0".repeat(32)}-${parentId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.slice(1)}-${parentId}-01`,
  `00-${traceId}-${parentId}-1`,
  `00-${traceId}-${parentId}`,
  `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
])("the traceparent %j is ignored", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("generated ids form a valid traceparent", () => {
  const [newTraceId, newSpanId] = [generateTraceId(), generateSpanId()];
  expect(parseTraceparent(`00-${newTraceId}-${newSpanId}-01`)).toEqual({
    traceId: newTraceId,
    parentId: newSpanId,
    isSampled: true,
  });
});
