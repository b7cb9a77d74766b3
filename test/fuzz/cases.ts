import { type Scope, scopes } from "../../src/domain/key.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { mutateBytes } from "./bodies.ts";
import { chunkExtensions, chunkSizes, codings, malformedFields, methods, trailers, versions } from "./messages.ts";
import { Random } from "./random.ts";
import {
  addStrangeHeaders,
  type CaseContext,
  commonMethods,
  type Draft,
  draftPublicRequest,
  draftRequest,
  encodeChunks,
  encodeRequest,
  endsConnection,
  renderHead,
  spoilTarget,
} from "./requests.ts";
import { configuredKey, type World } from "./world.ts";

export interface Case {
  readonly index: number;
  readonly kind: Kind;
  readonly writes: readonly Buffer[];
  /** Minimum pause between two writes. */
  readonly pauseMs: number;
  readonly requests: readonly SentRequest[];
  /**
   * `responses`: the service responds to every request. `reaction`: the service responds, possibly with an error about malformed
   * bytes, or closes the connection. `nothing`: the service may wait for more bytes.
   */
  readonly due: "responses" | "reaction" | "nothing";
  /** `keep` leaves the connection open for the next case. */
  readonly ending: "keep" | "close" | "half-close" | "abandon";
  readonly scope: Scope | undefined;
}

export interface SentRequest {
  readonly method: string;
  readonly target: string;
  /** The request id that the response must repeat. */
  readonly id: string | undefined;
  readonly operation: Operation | undefined;
  readonly expectedPet: unknown;
  /** `sure`: the key always works. `none`: the request has no valid key. `unknown`: the key may or may not work. */
  readonly keyCertainty: "sure" | "none" | "unknown";
}

export const kinds = [
  "request",
  "public",
  "headers",
  "target",
  "method",
  "framing",
  "head",
  "pipelined",
  "empty lines",
  "half-closed",
  "abandoned",
  "mutated",
  "garbage",
] as const;
export type Kind = (typeof kinds)[number];

export function generateCase(seed: number, index: number, world: World): Case {
  const random = new Random(seed, index);
  const generate = random.choose(caseGenerators);
  return generate({ random, index, world });
}

const caseGenerators: readonly (readonly [number, (context: CaseContext) => Case])[] = [
  [46, generatePlainRequest],
  [4, generatePublicRequest],
  [12, generateStrangeHeaders],
  [9, generateStrangeTarget],
  [3, generateStrangeMethod],
  [7, generateStrangeFraming],
  [3, generateStrangeHead],
  [3, generatePipelinedRequests],
  [1, generateEmptyLines],
  [2, generateHalfClosedRequest],
  [3, generateAbandonedRequest],
  [5, generateMutatedRequest],
  [2, generateGarbage],
];

function generatePlainRequest(context: CaseContext): Case {
  return createValidCase("request", context, draftRequest(context));
}

function generatePublicRequest(context: CaseContext): Case {
  const draft = draftPublicRequest(context);
  if (context.random.chance(0.5)) addStrangeHeaders(context, draft);
  return createValidCase("public", context, draft);
}

function generateStrangeHeaders(context: CaseContext): Case {
  const draft = draftRequest(context);
  addStrangeHeaders(context, draft);
  return createValidCase("headers", context, draft);
}

function generateStrangeTarget(context: CaseContext): Case {
  const draft = draftRequest(context);
  spoilTarget(context, draft);
  const isPath = /^\/[\x21-\x7e\x80-\xff]*$/.test(draft.target) && draft.method !== "CONNECT";
  return { ...createValidCase("target", context, draft), ...(isPath ? {} : { due: "reaction", ending: "close" }) };
}

function generateStrangeMethod(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  draft.method = random.choose<() => string>([
    [6, () => random.pick(commonMethods)],
    [2, () => random.pick([...methods, "QUERY", "GE", "GETT", "G ET", "GET\t", "\0", "G\xffT", "!#$%&'*+-.^_`|~"])],
    [1, () => "A".repeat(random.size(10_000))],
  ])();
  const isStandard = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(draft.method);
  return { ...createValidCase("method", context, draft), ...(isStandard ? {} : { due: "reaction", ending: "close" }) };
}

/** Returns a request that states the length of its body wrongly, twice, in an unusual way or not at all. */
function generateStrangeFraming(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const body = draft.body ?? Buffer.from('{"name":"Rex","categoryId":7}');
  const { length } = body;
  const contentLengthHeader = (value: string | number) => [["Content-Length", String(value)]] as const;
  const chunkedHeader = [["Transfer-Encoding", "chunked"]] as const;
  const chunkedBody = encodeChunks(random, body);
  type Framing = readonly [due: Case["due"], headers: readonly (readonly [string, string])[], body: Buffer];
  const [due, headers, bytes] = random.choose<() => Framing>([
    [2, () => ["nothing", contentLengthHeader(length + random.size(100_000)), body]],
    [2, () => ["reaction", contentLengthHeader(random.below(length + 1)), body]],
    [2, () => ["reaction", contentLengthHeader(random.pick(listMalformedLengths(length))), body]],
    [1, () => ["reaction", contentLengthHeader(`${"0".repeat(random.size(50))}${length}`), body]],
    [
      1,
      () => [
        "reaction",
        [...contentLengthHeader(length), ...contentLengthHeader(random.pick([length, length + 1, 0]))],
        Buffer.concat([body, Buffer.from("\r\n\r\n")]),
      ],
    ],
    [1, () => ["reaction", [...contentLengthHeader(length), ...chunkedHeader], chunkedBody]],
    [1, () => ["reaction", [...chunkedHeader, ...contentLengthHeader(length)], body]],
    [1, () => ["reaction", [["Transfer-Encoding", random.pick(codings)]], chunkedBody]],
    [1, () => ["reaction", [...chunkedHeader, ...chunkedHeader], chunkedBody]],
    [2, () => ["reaction", chunkedHeader, encodeChunks(random, body, `${generateTrailer(random)}\r\n`)]],
    [
      2,
      () => ["nothing", chunkedHeader, Buffer.concat([Buffer.from(generateChunkLine(random), "latin1"), chunkedBody])],
    ],
    [1, () => ["nothing", chunkedHeader, chunkedBody.subarray(0, random.below(chunkedBody.length))]],
    [1, () => ["nothing", chunkedHeader, mutateBytes(random, chunkedBody)]],
    [
      1,
      () => ["nothing", chunkedHeader, Buffer.from(chunkedBody.toString("latin1").replaceAll("\r\n", "\n"), "latin1")],
    ],
    [1, () => ["reaction", [], body]],
    [1, () => ["nothing", [...contentLengthHeader(length), ["Expect", "100-continue"]], Buffer.alloc(0)]],
  ])();
  const head = renderHead({
    ...draft,
    body: undefined,
    headers: [...draft.headers, ...headers.map(([name, value]): [string, string] => [name, value])],
  });
  return createModifiedCase("framing", context, Buffer.concat([Buffer.from(head, "latin1"), bytes]), draft, {
    due,
    ending: "close",
  });
}

function listMalformedLengths(length: number): string[] {
  const numbers = [`+${length}`, `${length}x`, `0x${length}`, `${length}, ${length}`, `${length}.0`];
  return [...numbers, "", "-1", "1e1", "99999999999999999999", "18446744073709551617", "9".repeat(1_000)];
}

function generateTrailer(random: Random): string {
  return random.pick([...trailers, `X: ${"a".repeat(random.size(20_000))}`, "A: b\r\n".repeat(random.size(1_000))]);
}

/** Returns the first line of a chunk, often a malformed one. */
function generateChunkLine(random: Random): string {
  const size = random.pick([...chunkSizes, "5", `${"0".repeat(random.size(20_000))}5`]);
  return `${size}${random.chance(0.5) ? random.pick(chunkExtensions) : ""}\r\n`;
}

function generateStrangeHead(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const head = renderHead(draft);
  const addLine = (line: string) => head.replace("\r\n\r\n", `\r\n${line}\r\n\r\n`);
  const [due, text] = random.choose<() => readonly [Case["due"], string]>([
    [2, () => ["reaction", addLine(random.pick(malformedFields))]],
    [1, () => ["reaction", addLine(random.pick(["Host: other", "Host: localhost", "host:", "Host: a\r\nHost: b"]))]],
    [
      1,
      () => [
        "reaction",
        head.replace(/Host: [^\r]*\r\n/, random.pick(["", "Host\r\n", "Host:\r\n", "Host: \xff\r\n", "Host: a b\r\n"])),
      ],
    ],
    [2, () => ["reaction", addLine(`X-Long: ${"a".repeat(random.between(14_000, 40_000))}`)]],
    [
      1,
      () => [
        "reaction",
        addLine(Array.from({ length: random.between(90, 400) }, (_, line) => `X-${line}: ${line}`).join("\r\n")),
      ],
    ],
    [1, () => ["reaction", addLine(`X-${"a".repeat(random.size(15_000))}: b`)]],
    [2, () => ["reaction", head.replace(/HTTP\/1\.[01]/, random.pick(versions))]],
    [1, () => ["nothing", head.replaceAll("\r\n", random.pick(["\n", "\r", "\n\r", "\r\r\n"]))]],
    [1, () => ["reaction", head.replace(" ", random.pick(["  ", "\t", "\x0b", ""]))]],
    [
      1,
      () => [
        "nothing",
        addLine(
          random.pick([
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
          ]),
        ),
      ],
    ],
  ])();
  // The body is never sent, so a service that accepts the head may wait for the body.
  const isComplete = draft.body === undefined;
  return createModifiedCase("head", context, Buffer.from(text, "latin1"), draft, {
    due: isComplete ? due : "nothing",
    ending: "close",
  });
}

/** Returns pipelined requests. All responses are optional, because a slow request delays the responses to later requests. */
function generatePipelinedRequests(context: CaseContext): Case {
  const { random, index } = context;
  const drafts = Array.from({ length: random.between(2, 6) }, () => {
    const draft = random.chance(0.3) ? draftPublicRequest(context) : draftRequest(context);
    draft.expectedPet = undefined;
    return draft;
  });
  const requests = drafts.map((draft, number) => toSentRequest(draft, `fuzz-${index}-${number}`));
  const bytes = Buffer.concat(drafts.map((draft) => encodeRequest(random, draft)));
  return {
    index,
    kind: "pipelined",
    ...splitIntoWrites(random, bytes),
    requests,
    due: "nothing",
    ending: "close",
    scope: highestScopeOf(drafts),
  };
}

function generateEmptyLines(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const lines = random.pick(["\r\n", "\r\n\r\n", "\n", "\r", "\r\n".repeat(random.size(50)), " \r\n"]);
  const areEmpty = /^(\r\n)*$/.test(lines);
  const request = encodeRequest(random, draft);
  const isBefore = random.chance(0.3);
  const bytes = Buffer.concat(isBefore ? [Buffer.from(lines), request] : [request, Buffer.from(lines)]);
  if (isBefore && !areEmpty) return createCaseFromBytes("empty lines", context, bytes, draft.scope);
  return createModifiedCase("empty lines", context, bytes, draft, {
    due: areEmpty ? "responses" : "reaction",
    ending: "close",
  });
}

function generateHalfClosedRequest(context: CaseContext): Case {
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  return { ...createValidCase("half-closed", context, draft), due: "nothing", ending: "half-close" };
}

/** Returns a request, or its beginning, after which the client disconnects without waiting for a response. */
function generateAbandonedRequest(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const bytes = encodeRequest(random, draft);
  const end = random.chance(0.3) ? bytes.length : random.below(bytes.length);
  return createModifiedCase("abandoned", context, bytes.subarray(0, end), draft, { due: "nothing", ending: "abandon" });
}

function generateMutatedRequest(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  const whole = encodeRequest(random, draft);
  const bytes = mutateBytes(random, whole);
  // The log contains request ids, so a request id must not contain a part of a key.
  return createCaseFromBytes("mutated", context, hasKeyInRequestId(bytes) ? whole : bytes, draft.scope);
}

function hasKeyInRequestId(bytes: Buffer): boolean {
  return /x-request-id:[^\r\n]*[0-9a-z]{12}/i.test(bytes.toString("latin1"));
}

const protocolOpenings = [
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
  "\x05\x01\x00",
  "SSH-2.0-OpenSSH_9.9\r\n",
  "PROXY TCP4 1.2.3.4 127.0.0.1 1 2\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
  "GET\r\n\r\n",
  "\r\n\r\n\r\n",
  "*1\r\n$4\r\nPING\r\n",
  "GET / HTTP/1.1\r\n",
];

function generateGarbage(context: CaseContext): Case {
  const { random } = context;
  const noise = random.bytes(random.size(3_000));
  const bytes = random.choose<() => Buffer>([
    [2, () => noise],
    [1, () => Buffer.from(random.pick(protocolOpenings), "latin1")],
    [1, () => Buffer.concat([Buffer.from(random.pick(protocolOpenings), "latin1"), noise])],
    [1, () => Buffer.concat([Buffer.from("GET /v1/pets HTTP/1.1\r\nHost: x\r\n"), noise, Buffer.from("\r\n\r\n")])],
    [1, () => Buffer.from(noise.map((byte) => 32 + (byte % 95)))],
  ])();
  return createCaseFromBytes("garbage", context, bytes.length > 0 ? bytes : Buffer.of(0), undefined);
}

function createValidCase(kind: Kind, context: CaseContext, draft: Draft): Case {
  const { random, index } = context;
  const request = toSentRequest(draft, `fuzz-${index}`);
  const isTooLarge = renderHead(draft).length > maxHeadBytes;
  const pieces = splitIntoWrites(random, encodeRequest(random, draft));
  // The service may respond to a read and close the connection before the whole body arrives; the reset may then cut off the response.
  const isRead = draft.method === "GET" || draft.method === "HEAD";
  const isLateBody = isRead && draft.body && (pieces.writes.length > 1 || draft.body.length > maxSingleReadBytes);
  return {
    index,
    kind,
    ...pieces,
    requests: [request],
    due: isTooLarge || isLateBody ? "reaction" : "responses",
    ending: isTooLarge || endsConnection(draft) ? "close" : "keep",
    scope: draft.scope,
  };
}

const maxSingleReadBytes = 32_768;

/** Size of a request head that the service certainly accepts: a little less than the limit of 16 KiB. */
const maxHeadBytes = 15_000;

function createModifiedCase(
  kind: Kind,
  { random, index }: CaseContext,
  bytes: Buffer,
  draft: Draft,
  expectation: Pick<Case, "due" | "ending">,
): Case {
  const { method, target, operation, scope } = draft;
  const requests = [
    { method, target, operation, id: undefined, expectedPet: undefined, keyCertainty: "unknown" as const },
  ];
  return { index, kind, ...splitIntoWrites(random, bytes), requests, scope, ...expectation };
}

function createCaseFromBytes(
  kind: Kind,
  { random, index }: CaseContext,
  bytes: Buffer,
  scope: Scope | undefined,
): Case {
  // The service ignores empty lines before a request.
  const text = bytes.toString("latin1").replace(/^(\r\n)+/, "");
  const [, method = "", target = ""] = /^([^ ]*) ([^ ]*) HTTP\/1\.\d\r\n/.exec(text) ?? [];
  // After a complete head without a body, the service must react, because no more bytes are due.
  const isComplete = text.includes("\r\n\r\n") && !/content-length|transfer-encoding|upgrade/i.test(text);
  return {
    index,
    kind,
    ...splitIntoWrites(random, bytes),
    requests: [
      { method, target, id: undefined, operation: undefined, expectedPet: undefined, keyCertainty: "unknown" },
    ],
    due: isComplete ? "reaction" : "nothing",
    ending: "close",
    scope,
  };
}

/** Returns the request of a draft, after adding a request id to a draft that has none. */
function toSentRequest(draft: Draft, id: string): SentRequest {
  const { method, target, operation, expectedPet } = draft;
  const canAssign = !draft.headers.some(([header]) => header.toLowerCase() === "x-request-id");
  if (canAssign) draft.headers.push(["X-Request-Id", id]);
  return {
    method,
    target,
    operation,
    expectedPet,
    id: canAssign ? id : undefined,
    keyCertainty: assessKeyCertainty(draft),
  };
}

/** Returns whether the key works: `unknown` for malformed and preflight requests, because the service does not check their keys. */
function assessKeyCertainty({ method, target, headers, operation, scope }: Draft): SentRequest["keyCertainty"] {
  const valuesOf = (name: string) =>
    headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
  const isWellFormed = valuesOf("host").join() === "localhost" && method !== "OPTIONS" && !target.includes("#");
  const isOperation = operation && target.startsWith("/v1/") && !/\.|%2e/i.test(target);
  if (!isWellFormed || !isOperation) return "unknown";
  if (scope === undefined) return "none";
  return valuesOf("authorization").join() === `Bearer ${configuredKey}` ? "sure" : "unknown";
}

/** Splits a request into writes. Most requests stay whole; the others are cut at random or critical places, some with pauses. */
function splitIntoWrites(random: Random, bytes: Buffer): Pick<Case, "writes" | "pauseMs"> {
  if (random.chance(0.75)) return { writes: [bytes], pauseMs: 0 };
  const cuts = new Set<number>();
  for (let count = random.size(6); count > 0; count--) cuts.add(random.below(bytes.length));
  if (random.chance(0.3)) cuts.add(bytes.indexOf("\r\n\r\n") + random.below(5));
  if (random.chance(0.2)) cuts.add(bytes.length - random.between(1, 5));
  const innerCuts = [...cuts].filter((cut) => cut > 0 && cut < bytes.length).sort((one, other) => one - other);
  const bounds = [0, ...innerCuts, bytes.length];
  const writes = bounds.slice(1).map((end, place) => bytes.subarray(bounds[place], end));
  return { writes, pauseMs: random.chance(0.05) ? random.size(50) : 0 };
}

function highestScopeOf(drafts: readonly Draft[]): Scope | undefined {
  return scopes.findLast((scope) => drafts.some((draft) => draft.scope === scope));
}
