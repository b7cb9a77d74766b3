import { expect, test } from "bun:test";
import { type FinishedSpan, Tracer } from "./tracer.ts";

/**
 * A sampling ratio so small that a random trace id is never sampled. The fixed trace id below ends in zeros, so any ratio samples it.
 */
const ratio = 1e-9;
const formatTraceparent = (flags: string) => `00-4bf92f3577b34da6a3ce929d00000000-00f067aa0ba902b7-${flags}`;

const spans: FinishedSpan[] = [];
const exporter = { export: (span: FinishedSpan) => spans.push(span) };
const isSampled = (followsParent: boolean, flags: string, isCallerKnown: boolean) =>
  new Tracer(exporter, { ratio, followsParent }).startSpan(formatTraceparent(flags), isCallerKnown) !== undefined;

test("sampling follows the flag of authenticated callers, or the id of their trace", () => {
  expect([isSampled(true, "01", true), isSampled(true, "00", true)]).toEqual([true, false]);
  expect([isSampled(false, "01", true), isSampled(false, "00", true)]).toEqual([true, true]);
});

test("sampling ignores the flag and the trace id of anonymous callers", () => {
  for (const followsParent of [true, false]) {
    for (const flags of ["00", "01"]) expect(isSampled(followsParent, flags, false)).toBe(false);
  }
});
