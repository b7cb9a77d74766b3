import { chooseRequestId } from "../../src/http/exchange.ts";
import { findIdempotencyKeyComplaints } from "../../src/http/idempotency.ts";
import { chooseEventFormat, prefersHtml } from "../../src/http/request/accept.ts";
import { ClientAddressFinder } from "../../src/http/request/client-address.ts";
import { parseBearerToken } from "../../src/http/request/header-fields.ts";
import { parsePreferredWait } from "../../src/http/request/preferences.ts";
import { matchesIfMatch, matchesIfNoneMatch } from "../../src/http/response/conditional.ts";
import { parseTraceparent } from "../../src/tracing/trace-context.ts";
import { HeadReader } from "../../src/wire/head.ts";
import type { WireRequest } from "../../src/wire/message.ts";
import { growsTooFast, measureMinCpuUs } from "./growth.ts";
import { wireRequest } from "./wire-request.ts";

const addressFinder = new ClientAddressFinder(["127.0.0.1"]);

/** The functions of the service that parse arbitrary header values. */
export const headerReaders: Readonly<Record<string, (value: string) => () => unknown>> = {
  "Accept of an HTML page": (value) => () => prefersHtml(value),
  "Accept of events": (value) => () => chooseEventFormat(value),
  Authorization: (value) => () => parseBearerToken(`Bearer ${value}`),
  Forwarded: readInRequest("forwarded", (request) => addressFinder.find(request)),
  "any field": (value) => () => new HeadReader().read(Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\nX-Any: ${value}`)),
  Host: (value) => () => new HeadReader().read(Buffer.from(`GET / HTTP/1.1\r\nHost: ${value}`)),
  "the request line": (value) => () => new HeadReader().read(Buffer.from(`GET ${value} HTTP/1.1\r\nHost: x`)),
  "Idempotency-Key": readInRequest("idempotency-key", findIdempotencyKeyComplaints),
  "If-Match": (value) => () => matchesIfMatch(value, '"a"'),
  "If-None-Match": (value) => () => matchesIfNoneMatch(value, '"a"'),
  Prefer: (value) => () => parsePreferredWait(value),
  traceparent: (value) => () => parseTraceparent(value),
  "X-Forwarded-For": readInRequest("x-forwarded-for", (request) => addressFinder.find(request)),
  "X-Request-Id": readInRequest("x-request-id", chooseRequestId),
};

/** Regular expressions with backtracking, with which a test proves that slow readers are detected. */
export const slowReaders: typeof headerReaders = {
  "an expression that tries all pairs": (value) => () => /[ ]+;/.test(value),
  "an expression that tries all parts": (value) => () => /^(?:a+)+$/.test(value),
};
const readers = { ...headerReaders, ...slowReaders };

/** Texts on which a regular expression with backtracking takes quadratic time. */
export const hostileTexts: Readonly<Record<string, (length: number) => string>> = {
  "spaces before an odd quote": (length) => `application/json;charset=${" ".repeat(length)}""x`,
  "spaces after a name": (length) => `handling${" ".repeat(length)}x`,
  "spaces around nothing": (length) => `a =${" ".repeat(length)}`,
  semicolons: (length) => `a${";".repeat(length)}`,
  "commas and spaces": (length) => ", ".repeat(length / 2),
  quotes: (length) => `a=${'"'.repeat(length)}`,
  backslashes: (length) => `a="${"\\".repeat(length)}`,
  "backslashes between quotes": (length) => `a="${"\\".repeat(length)}"`,
  "escaped quotes": (length) => `a="${'\\"'.repeat(length / 2)}"`,
  "digits and dots": (length) => `${"1.".repeat(length / 2)}x`,
  "digits and dots of a pair": (length) => `for=${"1.".repeat(length / 2)}x`,
  brackets: (length) => `${"[".repeat(length)}x`,
  colons: (length) => `${":".repeat(length)}x`,
  "halves of escapes": (length) => `${"%4".repeat(length / 2)}x`,
  "letters before a quote": (length) => `${"a".repeat(length)}"`,
  "a trace that goes on": (length) => `01-${"1".repeat(32)}-${"1".repeat(16)}-01${"-".repeat(length)} x`,
};

function readInRequest(name: string, read: (request: WireRequest) => unknown): (value: string) => () => unknown {
  return (value) => {
    const request = wireRequest({ [name]: value });
    return () => read(request);
  };
}

/** A text of this length is parsed in milliseconds in linear time, and in hours in quadratic time. */
const longTextLength = 500_000;

/** A text of this length is parsed in microseconds, unless the time doubles with each character. */
const [briefLength, briefCpuUs] = [60, 100_000];

if (import.meta.main) for (const name of process.argv.slice(2)) checkReader(name);

function checkReader(name: string): void {
  const reader = readers[name];
  if (!reader) throw new Error(`There is no reader ${name}.`);
  for (const [text, generate] of Object.entries(hostileTexts)) {
    const problem = findProblem(reader, generate);
    if (problem === undefined) reader(generate(longTextLength))();
    console.log(`${name}: ${text}${problem === undefined ? "" : `: ${problem}`}`);
  }
}

function findProblem(
  reader: (value: string) => () => unknown,
  generate: (length: number) => string,
): string | undefined {
  if (measureMinCpuUs(reader(generate(briefLength))) > briefCpuUs) return "it takes too long for its length";
  return growsTooFast((length) => reader(generate(length))) ? "the time grows faster than the length" : undefined;
}
