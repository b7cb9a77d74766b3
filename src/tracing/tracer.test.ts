import { expect, test } from "bun:test";
import { type FinishedSpan, Tracer } from "./tracer.ts";

/** So small that no trace is kept by chance. The trace id below ends in zeros, so every share includes that trace. */
const share = 1e-9;
const header = (flags: string) => `00-4bf92f3577b34da6a3ce929d00000000-00f067aa0ba902b7-${flags}`;

const spans: FinishedSpan[] = [];
const exporter = { export: (span: FinishedSpan) => spans.push(span) };
const isKept = (followsParent: boolean, flags: string, isCallerKnown: boolean) =>
  new Tracer(exporter, { share, followsParent }).startSpan(header(flags), isCallerKnown) !== undefined;

test("sampling follows the flag of authenticated callers, or the id of their trace", () => {
  expect([isKept(true, "01", true), isKept(true, "00", true)]).toEqual([true, false]);
  expect([isKept(false, "01", true), isKept(false, "00", true)]).toEqual([true, true]);
});

test("sampling ignores the flag and the trace id of anonymous callers", () => {
  for (const followsParent of [true, false]) {
    for (const flags of ["00", "01"]) expect(isKept(followsParent, flags, false)).toBe(false);
  }
});
