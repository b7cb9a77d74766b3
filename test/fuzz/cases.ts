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
  encode,
  encodeChunks,
  endsConnection,
  headOf,
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
  readonly key: "sure" | "none" | "unknown";
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

export function caseOf(seed: number, index: number, world: World): Case {
  const random = new Random(seed, index);
  const make = random.choose(caseMakers);
  return make({ random, index, world });
}

const caseMakers: readonly (readonly [number, (context: CaseContext) => Case])[] = [
  [46, plainRequest],
  [4, publicRequest],
  [12, strangeHeaders],
  [9, strangeTarget],
  [3, strangeMethod],
  [7, strangeFraming],
  [3, strangeHead],
  [3, pipelinedRequests],
  [1, emptyLines],
  [2, halfClosedRequest],
  [3, abandonedRequest],
  [5, mutatedRequest],
  [2, garbage],
];

function plainRequest(context: CaseContext): Case {
  return validCase("request", context, draftRequest(context));
}

function publicRequest(context: CaseContext): Case {
  const draft = draftPublicRequest(context);
  if (context.random.chance(0.5)) addStrangeHeaders(context, draft);
  return validCase("public", context, draft);
}

function strangeHeaders(context: CaseContext): Case {
  const draft = draftRequest(context);
  addStrangeHeaders(context, draft);
  return validCase("headers", context, draft);
}

function strangeTarget(context: CaseContext): Case {
  const draft = draftRequest(context);
  spoilTarget(context, draft);
  const isPath = /^\/[\x21-\x7e\x80-\xff]*$/.test(draft.target) && draft.method !== "CONNECT";
  return { ...validCase("target", context, draft), ...(isPath ? {} : { due: "reaction", ending: "close" }) };
}

function strangeMethod(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  draft.method = random.choose<() => string>([
    [6, () => random.pick(commonMethods)],
    [2, () => random.pick([...methods, "QUERY", "GE", "GETT", "G ET", "GET\t", "\0", "G\xffT", "!#$%&'*+-.^_`|~"])],
    [1, () => "A".repeat(random.size(10_000))],
  ])();
  const isStandard = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(draft.method);
  return { ...validCase("method", context, draft), ...(isStandard ? {} : { due: "reaction", ending: "close" }) };
}

/** Returns a request that states the length of its body wrongly, twice, in an unusual way or not at all. */
function strangeFraming(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const body = draft.body ?? Buffer.from('{"name":"Rex","categoryId":7}');
  const { length } = body;
  const contentLength = (value: string | number) => [["Content-Length", String(value)]] as const;
  const chunkedCoding = [["Transfer-Encoding", "chunked"]] as const;
  const pieces = encodeChunks(random, body);
  type Framing = readonly [due: Case["due"], headers: readonly (readonly [string, string])[], body: Buffer];
  const [due, headers, bytes] = random.choose<() => Framing>([
    [2, () => ["nothing", contentLength(length + random.size(100_000)), body]],
    [2, () => ["reaction", contentLength(random.below(length + 1)), body]],
    [2, () => ["reaction", contentLength(random.pick(malformedLengths(length))), body]],
    [1, () => ["reaction", contentLength(`${"0".repeat(random.size(50))}${length}`), body]],
    [
      1,
      () => [
        "reaction",
        [...contentLength(length), ...contentLength(random.pick([length, length + 1, 0]))],
        Buffer.concat([body, Buffer.from("\r\n\r\n")]),
      ],
    ],
    [1, () => ["reaction", [...contentLength(length), ...chunkedCoding], pieces]],
    [1, () => ["reaction", [...chunkedCoding, ...contentLength(length)], body]],
    [1, () => ["reaction", [["Transfer-Encoding", random.pick(codings)]], pieces]],
    [1, () => ["reaction", [...chunkedCoding, ...chunkedCoding], pieces]],
    [2, () => ["reaction", chunkedCoding, encodeChunks(random, body, `${trailer(random)}\r\n`)]],
    [2, () => ["nothing", chunkedCoding, Buffer.concat([Buffer.from(chunkLine(random), "latin1"), pieces])]],
    [1, () => ["nothing", chunkedCoding, pieces.subarray(0, random.below(pieces.length))]],
    [1, () => ["nothing", chunkedCoding, mutateBytes(random, pieces)]],
    [1, () => ["nothing", chunkedCoding, Buffer.from(pieces.toString("latin1").replaceAll("\r\n", "\n"), "latin1")]],
    [1, () => ["reaction", [], body]],
    [1, () => ["nothing", [...contentLength(length), ["Expect", "100-continue"]], Buffer.alloc(0)]],
  ])();
  const head = headOf({
    ...draft,
    body: undefined,
    headers: [...draft.headers, ...headers.map(([name, value]): [string, string] => [name, value])],
  });
  return modifiedCase("framing", context, Buffer.concat([Buffer.from(head, "latin1"), bytes]), draft, {
    due,
    ending: "close",
  });
}

function malformedLengths(length: number): string[] {
  const numbers = [`+${length}`, `${length}x`, `0x${length}`, `${length}, ${length}`, `${length}.0`];
  return [...numbers, "", "-1", "1e1", "99999999999999999999", "18446744073709551617", "9".repeat(1_000)];
}

function trailer(random: Random): string {
  return random.pick([...trailers, `X: ${"a".repeat(random.size(20_000))}`, "A: b\r\n".repeat(random.size(1_000))]);
}

/** Returns the first line of a chunk, often a malformed one. */
function chunkLine(random: Random): string {
  const size = random.pick([...chunkSizes, "5", `${"0".repeat(random.size(20_000))}5`]);
  return `${size}${random.chance(0.5) ? random.pick(chunkExtensions) : ""}\r\n`;
}

function strangeHead(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const head = headOf(draft);
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
  return modifiedCase("head", context, Buffer.from(text, "latin1"), draft, {
    due: isComplete ? due : "nothing",
    ending: "close",
  });
}

/** Returns pipelined requests. All responses are optional, because a slow request delays the responses to later requests. */
function pipelinedRequests(context: CaseContext): Case {
  const { random, index } = context;
  const drafts = Array.from({ length: random.between(2, 6) }, () => {
    const draft = random.chance(0.3) ? draftPublicRequest(context) : draftRequest(context);
    draft.expectedPet = undefined;
    return draft;
  });
  const requests = drafts.map((draft, number) => toSentRequest(draft, `fuzz-${index}-${number}`));
  const bytes = Buffer.concat(drafts.map((draft) => encode(random, draft)));
  return {
    index,
    kind: "pipelined",
    ...split(random, bytes),
    requests,
    due: "nothing",
    ending: "close",
    scope: highestScopeOf(drafts),
  };
}

function emptyLines(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const lines = random.pick(["\r\n", "\r\n\r\n", "\n", "\r", "\r\n".repeat(random.size(50)), " \r\n"]);
  const areEmpty = /^(\r\n)*$/.test(lines);
  const request = encode(random, draft);
  const isBefore = random.chance(0.3);
  const bytes = Buffer.concat(isBefore ? [Buffer.from(lines), request] : [request, Buffer.from(lines)]);
  if (isBefore && !areEmpty) return caseFromBytes("empty lines", context, bytes, draft.scope);
  return modifiedCase("empty lines", context, bytes, draft, {
    due: areEmpty ? "responses" : "reaction",
    ending: "close",
  });
}

function halfClosedRequest(context: CaseContext): Case {
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  return { ...validCase("half-closed", context, draft), due: "nothing", ending: "half-close" };
}

/** Returns a request, or its beginning, after which the client disconnects without waiting for a response. */
function abandonedRequest(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  draft.expectedPet = undefined;
  const bytes = encode(random, draft);
  const end = random.chance(0.3) ? bytes.length : random.below(bytes.length);
  return modifiedCase("abandoned", context, bytes.subarray(0, end), draft, { due: "nothing", ending: "abandon" });
}

function mutatedRequest(context: CaseContext): Case {
  const { random } = context;
  const draft = draftRequest(context);
  const whole = encode(random, draft);
  const bytes = mutateBytes(random, whole);
  // The log contains request ids, so a request id must not contain a part of a key.
  return caseFromBytes("mutated", context, hasKeyInRequestId(bytes) ? whole : bytes, draft.scope);
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

function garbage(context: CaseContext): Case {
  const { random } = context;
  const noise = random.bytes(random.size(3_000));
  const bytes = random.choose<() => Buffer>([
    [2, () => noise],
    [1, () => Buffer.from(random.pick(protocolOpenings), "latin1")],
    [1, () => Buffer.concat([Buffer.from(random.pick(protocolOpenings), "latin1"), noise])],
    [1, () => Buffer.concat([Buffer.from("GET /v1/pets HTTP/1.1\r\nHost: x\r\n"), noise, Buffer.from("\r\n\r\n")])],
    [1, () => Buffer.from(noise.map((byte) => 32 + (byte % 95)))],
  ])();
  return caseFromBytes("garbage", context, bytes.length > 0 ? bytes : Buffer.of(0), undefined);
}

function validCase(kind: Kind, context: CaseContext, draft: Draft): Case {
  const { random, index } = context;
  const request = toSentRequest(draft, `fuzz-${index}`);
  const isTooLarge = headOf(draft).length > maxHeadBytes;
  const pieces = split(random, encode(random, draft));
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

function modifiedCase(
  kind: Kind,
  { random, index }: CaseContext,
  bytes: Buffer,
  draft: Draft,
  rest: Pick<Case, "due" | "ending">,
): Case {
  const { method, target, operation, scope } = draft;
  const requests = [{ method, target, operation, id: undefined, expectedPet: undefined, key: "unknown" as const }];
  return { index, kind, ...split(random, bytes), requests, scope, ...rest };
}

function caseFromBytes(kind: Kind, { random, index }: CaseContext, bytes: Buffer, scope: Scope | undefined): Case {
  // The service ignores empty lines before a request.
  const text = bytes.toString("latin1").replace(/^(\r\n)+/, "");
  const [, method = "", target = ""] = /^([^ ]*) ([^ ]*) HTTP\/1\.\d\r\n/.exec(text) ?? [];
  // After a complete head without a body, the service must react, because no more bytes are due.
  const isComplete = text.includes("\r\n\r\n") && !/content-length|transfer-encoding|upgrade/i.test(text);
  return {
    index,
    kind,
    ...split(random, bytes),
    requests: [{ method, target, id: undefined, operation: undefined, expectedPet: undefined, key: "unknown" }],
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
  return { method, target, operation, expectedPet, id: canAssign ? id : undefined, key: keyCertainty(draft) };
}

/** Returns whether the key works: `unknown` for malformed and preflight requests, because the service does not check their keys. */
function keyCertainty({ method, target, headers, operation, scope }: Draft): SentRequest["key"] {
  const values = (name: string) =>
    headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
  const isSound = values("host").join() === "localhost" && method !== "OPTIONS" && !target.includes("#");
  const isOperation = operation && target.startsWith("/v1/") && !/\.|%2e/i.test(target);
  if (!isSound || !isOperation) return "unknown";
  if (scope === undefined) return "none";
  return values("authorization").join() === `Bearer ${configuredKey}` ? "sure" : "unknown";
}

/** Splits a request into writes. Most requests stay whole; the others are cut at random or critical places, some with pauses. */
function split(random: Random, bytes: Buffer): Pick<Case, "writes" | "pauseMs"> {
  if (random.chance(0.75)) return { writes: [bytes], pauseMs: 0 };
  const cuts = new Set<number>();
  for (let count = random.size(6); count > 0; count--) cuts.add(random.below(bytes.length));
  if (random.chance(0.3)) cuts.add(bytes.indexOf("\r\n\r\n") + random.below(5));
  if (random.chance(0.2)) cuts.add(bytes.length - random.between(1, 5));
  const inside = [...cuts].filter((cut) => cut > 0 && cut < bytes.length).sort((one, other) => one - other);
  const places = [0, ...inside, bytes.length];
  const writes = places.slice(1).map((end, place) => bytes.subarray(places[place], end));
  return { writes, pauseMs: random.chance(0.05) ? random.size(50) : 0 };
}

function highestScopeOf(drafts: readonly Draft[]): Scope | undefined {
  return scopes.findLast((scope) => drafts.some((draft) => draft.scope === scope));
}
