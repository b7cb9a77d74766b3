import { parseJson } from "../../src/base/json.ts";
import { includesScope, type Scope, scopes } from "../../src/domain/key.ts";
import { operations } from "../../src/operations/index.ts";
import {
  basePath,
  defaultBodyTypes,
  type Operation,
  pathParameter,
  queryFields,
  takesIdempotencyKey,
} from "../../src/operations/operation.ts";
import { maxValues } from "../../src/operations/schema.ts";
import { generateBody, generateValidBody } from "./bodies.ts";
import { targets } from "./messages.ts";
import { Random } from "./random.ts";
import { encodeForUrl, generateHeaderValue, headerNames, strangeTexts } from "./texts.ts";
import { configuredKey, initialCounts, type World } from "./world.ts";

export const commonMethods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND".split(" ");

/** The inputs of a generated case. Cases add resources, so the index of a case indicates roughly how many resources exist. */
export interface CaseContext {
  readonly random: Random;
  readonly index: number;
  readonly world: World;
}

export interface Draft {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  isChunked: boolean;
  readonly operation: Operation | undefined;
  /** The scope of the request's key; undefined without a valid key. */
  scope: Scope | undefined;
  /** The animal of a create that must succeed with 201; undefined for other requests. */
  expectedPet: unknown;
}

/** Returns a valid HTTP request to the API, which the service may still refuse. */
export function draftRequest(context: CaseContext): Draft {
  const { random } = context;
  const operation = random.choose(operationWeights);
  const draft: Draft = {
    method: operation.method === "GET" && random.chance(0.05) ? "HEAD" : operation.method,
    target: basePath + generatePath(context, operation),
    version: random.chance(0.02) ? "HTTP/1.0" : "HTTP/1.1",
    headers: [["Host", "localhost"]],
    body: undefined,
    isChunked: false,
    operation,
    scope: undefined,
    expectedPet: undefined,
  };
  addKey(context, draft, operation);
  addQuery(context, draft, operation);
  addBody(context, draft, operation);
  addOptionalHeaders(context, draft);
  return draft;
}

export function draftPublicRequest({ random }: CaseContext): Draft {
  const paths =
    "/healthz /readyz /readyz/reads /readyz/writes /v1/openapi.json /v1/openapi.yaml / /docs /orders /assets/x /favicon.ico /v1";
  return {
    method: random.choose([
      [6, "GET"],
      [2, "HEAD"],
      [1, "OPTIONS"],
      [1, "POST"],
      [1, "DELETE"],
    ]),
    target: random.pick(paths.split(" ")) + (random.chance(0.2) ? `?${random.pick(strangeQueries)}` : ""),
    version: "HTTP/1.1",
    headers: [["Host", "localhost"]],
    body: undefined,
    isChunked: false,
    operation: undefined,
    scope: undefined,
    expectedPet: undefined,
  };
}

/** Adds headers whose values are hard to parse, but not too large for the service. */
export function addStrangeHeaders({ random, world }: CaseContext, draft: Draft): void {
  draft.expectedPet = undefined;
  let remainingBytes = 14_000 - draft.target.length;
  for (let count = random.between(1, 4); count > 0 && remainingBytes > 100; count--) {
    const name = random.choose<() => string>([
      [draft.body ? 8 : 0, () => "content-type"],
      [16, () => random.pick(headerNames)],
      [1, () => `X-${"a".repeat(random.size(200))}`],
    ])();
    const value = random.chance(0.1)
      ? random.pick([...world.etags, ...world.wrongKeys])
      : generateHeaderValue(random, name, remainingBytes - 50);
    remainingBytes -= value.length + name.length;
    const place = draft.headers.findIndex(([other]) => other.toLowerCase() === name);
    // Replaces earlier headers with these names; other headers are sometimes repeated.
    if (place >= 0 && ["host", "content-type", "connection"].includes(name)) draft.headers[place] = [name, value];
    else if (place >= 0 && random.chance(0.7)) draft.headers[place] = [name, value];
    else draft.headers.push([name, value]);
  }
  draft.headers = draft.headers.map(([name, value]) => [randomizeCase(random, name), value]);
}

export function spoilTarget({ random }: CaseContext, draft: Draft): void {
  draft.expectedPet = undefined;
  const path = draft.target;
  const place = random.below(path.length + 1);
  const insert = (text: string) => path.slice(0, place) + text + path.slice(place);
  draft.target = random.choose<() => string>([
    [
      3,
      () =>
        path.replace(
          "/v1",
          random.pick(["/v1/.", "/v1/..", "/v1/../v1", "/./v1", "/v1/%2e%2e/v1", "/v1/%2e", "/x/../v1", "/../../v1"]),
        ),
    ],
    [2, () => path.replaceAll("/", random.pick(["//", "\\", "%2f", "/./", "/%2e/", "%5c", "/;/", "/ /".trim()]))],
    [
      1,
      () =>
        path + random.pick(["/", "/.", "/..", "//", "/%2e%2e", "%20", "%00", ";a=b", "?", "#", "#a?b", ".json", "/*"]),
    ],
    [2, () => insert(random.pick(["%2", "%zz", "%00", "%0d%0a", "%c0%af", "%ff", ..."%\\|^`{}\"<>'[]@:\xff\x80é"]))],
    [2, () => insert(encodeForUrl(random, random.pick(strangeTexts)))],
    [
      2,
      () => path.replace(/[a-z]/g, (letter) => (random.chance(0.3) ? `%${letter.charCodeAt(0).toString(16)}` : letter)),
    ],
    [1, () => path.toUpperCase()],
    [
      2,
      () =>
        `${random.pick(["http://", "https://", "HTTP://", "http:\\\\", "http:/", "ftp://", "//", "///", "http://u:p@", "ws://"])}${random.pick(["localhost", "evil.example", "[::1]:1", "x:99999", "", "a b".slice(0, 1), "%00", "x?", "x#"])}${path}`,
    ],
    [1, () => random.pick(targets)],
    [1, () => `${path}${path.includes("?") ? "&" : "?"}${"a=b&".repeat(random.size(3_000))}`],
    [1, () => `${path}/${"x".repeat(random.size(12_000))}`],
    [1, () => `/${"../".repeat(random.size(4_000))}v1/pets`],
    [1, () => `/v1/pets${"/".repeat(random.size(12_000))}`],
  ])();
  if (random.chance(0.3)) draft.method = random.pick(commonMethods);
}

export function renderHead({ method, target, version, headers, body, isChunked }: Draft): string {
  const framing: [string, string][] =
    body === undefined
      ? []
      : isChunked
        ? [["Transfer-Encoding", "chunked"]]
        : [["Content-Length", String(body.length)]];
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} ${version}\r\n${lines.join("")}\r\n`;
}

export function encodeRequest(random: Random, draft: Draft): Buffer {
  const head = Buffer.from(renderHead(draft), "latin1");
  if (draft.body === undefined) return head;
  return Buffer.concat([head, draft.isChunked ? encodeChunks(random, draft.body) : draft.body]);
}

/** Returns the chunked encoding of a body, with random sizes and valid extensions of the chunks, and the given trailer. */
export function encodeChunks(random: Random, body: Buffer, trailer = ""): Buffer {
  const parts: Buffer[] = [];
  const extension = () =>
    random.chance(0.05) ? random.pick([";a", ";a=b", ';a="b"', `;${"x".repeat(random.size(300))}`]) : "";
  const renderSize = (length: number) => {
    const digits = random.chance(0.3) ? length.toString(16).toUpperCase() : length.toString(16);
    return random.chance(0.1) ? digits.padStart(random.between(2, 10), "0") : digits;
  };
  for (let start = 0; start < body.length; ) {
    const length = Math.min(body.length - start, random.chance(0.1) ? random.between(1, 3) : random.size(body.length));
    parts.push(
      Buffer.from(`${renderSize(length)}${extension()}\r\n`),
      body.subarray(start, start + length),
      Buffer.from("\r\n"),
    );
    start += length;
  }
  return Buffer.concat([...parts, Buffer.from(`0${extension()}\r\n${trailer}\r\n`)]);
}

export function endsConnection({ version, headers }: Draft): boolean {
  return (
    version !== "HTTP/1.1" ||
    headers.some(([name, value]) => name.toLowerCase() === "connection" && /close/i.test(value))
  );
}

const specialWeights: Readonly<Record<string, number>> = {
  createPet: 60,
  listPets: 40,
  placeOrder: 30,
  deletePet: 10,
  createWebhook: 4,
  deleteWebhook: 8,
};

/** Creates are frequent, so that other requests find animals. Webhooks are rare, because each webhook receives every event. */
const operationWeights = operations.map((operation): [number, Operation] => [
  specialWeights[operation.id] ?? 20,
  operation,
]);

function generatePath(context: CaseContext, { path }: Operation): string {
  return path.replace(pathParameter, (_, name: string) => generateIdText(context, name));
}

const extremeIds = [
  ..."0 -1 9007199254740991 9007199254740992 9223372036854775807 9223372036854775808".split(" "),
  ...["-9223372036854775808", "18446744073709551616", "9".repeat(400)],
];
const malformedIds = "01 +1 1.0 1e1 0x1 %31 1%20 %EF%BC%91 1;a 1,2 current abc - -0 % %0d%0aX-Injected:1 1%00".split(
  " ",
);

function generateIdText(context: CaseContext, name: string): string {
  const { random } = context;
  return random.choose<() => string>([
    [16, () => String(pickLikelyId(context, name))],
    [2, () => random.pick(extremeIds)],
    [1, () => random.pick(malformedIds)],
    [1, () => encodeForUrl(random, random.pick(strangeTexts)) || "x"],
  ])();
}

/** Returns an id that probably exists when the case runs. */
function pickLikelyId({ random, index }: CaseContext, name: string): number {
  if (name === "petId") return 1 + random.below(initialCounts.pets + Math.floor(index * 0.03));
  if (name === "orderId") return 1 + random.below(initialCounts.orders + Math.floor(index * 0.008));
  // Keys with lower ids authenticate requests, and should not be revoked.
  if (name === "keyId") return random.between(20, initialCounts.keys + Math.floor(index * 0.01));
  if (name === "webhookId") return 1 + random.below(initialCounts.webhooks + Math.floor(index * 0.001));
  if (name === "deliveryId") return 1 + random.below(100 + Math.floor(index * 0.3));
  return random.below(20);
}

function addKey(context: CaseContext, draft: Draft, { scope }: Operation): void {
  const add = context.random.choose([
    [80, addSufficientKey],
    [8, addAnyKey],
    [5, () => {}],
    [4, addWrongKey],
    [1, addStrangeCredentials],
    [1, misplaceKey],
  ]);
  add(context, draft, scope);
}

function addSufficientKey({ random, world }: CaseContext, draft: Draft, requiredScope: Scope): void {
  draft.scope = random.pick(scopes.filter((scope) => includesScope(scope, requiredScope)));
  addBearerToken(random, draft, random.pick(world.keys[draft.scope]));
}

function addAnyKey({ random, world }: CaseContext, draft: Draft): void {
  draft.scope = random.pick(scopes);
  addBearerToken(random, draft, random.pick(world.keys[draft.scope]));
}

/** Adds a key that does not work. The client address varies, because the service would soon limit a single address. */
function addWrongKey({ random, world }: CaseContext, draft: Draft): void {
  const key = random.choose<() => string>([
    [2, () => random.pick(world.wrongKeys)],
    [1, () => `${random.pick(world.wrongKeys).slice(0, -1)}x`],
    [1, () => random.pick(["x", "ask_", "a".repeat(random.size(8_000)), "ask_\xff"])],
  ])();
  addBearerToken(random, draft, key);
  draft.headers.push(["X-Forwarded-For", `10.${random.below(256)}.${random.below(256)}.1`]);
}

function addStrangeCredentials({ random }: CaseContext, draft: Draft): void {
  draft.headers.push(["Authorization", generateHeaderValue(random, "authorization", 5_000)]);
}

/** Puts a valid key in a wrong place, a common mistake of API users. */
function misplaceKey({ random, world }: CaseContext, draft: Draft): void {
  const key = random.pick([...world.keys.read, ...world.keys.write]);
  const place = random.pick("path query Authorization Basic Cookie Host User-Agent X-Request-Id".split(" "));
  if (place === "path") draft.target += `/${key}`;
  else if (place === "query") draft.target += `?key=${key}`;
  else if (place === "Basic") draft.headers.push(["Authorization", `Basic ${key}`]);
  else if (place === "Host") draft.headers = [["Host", key]];
  else draft.headers.push([place, key]);
}

function addBearerToken(random: Random, draft: Draft, key: string): void {
  const scheme = random.chance(0.9) ? "Bearer " : random.pick(["bearer ", "BEARER  ", "BeArEr "]);
  draft.headers.push(["Authorization", scheme + key]);
}

function generateListText(random: Random, options: readonly string[] | undefined): string {
  const pickOne = () => (options ? random.pick(options) : String(random.between(1, 100)));
  return Array.from({ length: random.between(2, 8) }, pickOne).join(random.chance(0.3) ? "%2C" : ",");
}

function addQuery({ random, world }: CaseContext, draft: Draft, operation: Operation): void {
  const fields = Object.entries(queryFields(operation));
  if (draft.target.includes("?") || random.chance(fields.length > 0 ? 0.3 : 0.95)) return;
  if (operation.isPaged && random.chance(0.2)) {
    draft.target = random.pick(world.pagePaths);
    if (random.chance(0.3))
      draft.target = draft.target.slice(0, -random.between(1, 4)) + random.pick(["", "A", "~", "%00"]);
    return;
  }
  const parts: string[] = [];
  for (const [name, schema] of fields) {
    if (!random.chance(0.3)) continue;
    const options = schema["enum"] as readonly string[] | undefined;
    const value = random.choose<() => string>([
      [schema[maxValues] === undefined ? 0 : 2, () => generateListText(random, options)],
      [
        6,
        () => (options ? random.pick(options) : schema.type === "integer" ? String(random.between(1, 100)) : "Animal"),
      ],
      [1, () => encodeURIComponent(random.pick(wrongQueryValues))],
      [1, () => encodeForUrl(random, random.pick(strangeTexts))],
    ])();
    parts.push(`${random.chance(0.05) ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name}=${value}`);
    if (random.chance(0.03)) parts.push(`${name}=${value}`);
  }
  if (random.chance(0.1)) parts.push(random.pick(strangeQueries));
  if (parts.length > 0) draft.target += `?${parts.join(random.chance(0.02) ? ";" : "&")}`;
}

const wrongQueryValues = ["", " 1", ..."0 -1 101 1.5 9223372036854775808 1,2,3 available,sold , -id null".split(" ")];

const strangeQueries = [
  "",
  ..."& = &&&= a =b limit limit= limit=1&limit=1 __proto__=1 a[b]=c % %zz=1 +=+ status=sold%00 cursor= ?".split(" "),
  ...["%0d%0aX-Injected:1=2", "a?b#c", "\xff=\xfe", "limit=%31"],
];

function addBody(context: CaseContext, draft: Draft, operation: Operation): void {
  const { random } = context;
  const { body } = operation;
  if (!body) {
    // The service must read an unexpected body, and would otherwise mistake the body for the next request.
    if (random.chance(0.03))
      draft.body = Buffer.from(
        random.pick(["", "x", "{}", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(10_000)]),
      );
    draft.isChunked = draft.version === "HTTP/1.1" && random.chance(0.5);
    return;
  }
  if (body.isOptional && random.chance(0.5)) return;
  const keyNumber = takesIdempotencyKey(operation) && random.chance(0.2) ? random.below(40) : undefined;
  // Requests with the same idempotency key are usually identical.
  const isIdentical = keyNumber !== undefined && random.chance(0.9);
  const bodyRandom = isIdentical ? new Random(operation.id.length, keyNumber) : random;
  const resolve = (name: string) => {
    if (name === "petId")
      return String(pickLikelyId({ ...context, random: bodyRandom, index: isIdentical ? 0 : context.index }, name));
    if (name === "url") return JSON.stringify(bodyRandom.pick(context.world.receiverUrls));
    // Arbitrary text would not be a valid position.
    if (name === "from" && bodyRandom.chance(0.5)) return bodyRandom.pick(['"beginning"', '"end"']);
    return undefined;
  };
  const { bytes, isValid } = isIdentical
    ? generateValidBody(bodyRandom, body.schema, resolve)
    : generateBody(random, body.schema, resolve);
  if (keyNumber !== undefined) draft.headers.push(["Idempotency-Key", `fuzz-${keyNumber}`]);
  draft.body = bytes;
  draft.isChunked = draft.version === "HTTP/1.1" && random.chance(0.25);
  const types = body.types ?? defaultBodyTypes;
  const isPlain = random.chance(0.95);
  draft.headers.push([
    "Content-Type",
    isPlain ? random.pick(types) : generateHeaderValue(random, "content-type", 8_000),
  ]);
  if (operation.id !== "createPet" || !isValid || !isPlain || keyNumber !== undefined || draft.target.includes("?"))
    return;
  // The create must succeed only with the configured key: an earlier case may have revoked any other key.
  if (draft.headers.some(([, value]) => value.endsWith(configuredKey))) draft.expectedPet = parseJson(bytes.toString());
}

function addOptionalHeaders({ random, world }: CaseContext, draft: Draft): void {
  const { headers } = draft;
  const addWithChance = (probability: number, name: string, value: () => string) => {
    if (random.chance(probability)) headers.push([name, value()]);
  };
  const mayFail = draft.expectedPet === undefined;
  addWithChance(0.1, "Accept", () => random.pick(["application/json", "application/problem+json", "*/*"]));
  if (mayFail) addWithChance(0.05, "Prefer", () => generateHeaderValue(random, "prefer", 4_000));
  if (mayFail) addWithChance(0.08, "If-Match", () => random.pick(["*", ...world.etags]));
  // The asterisk matches any resource. Most entity tags here do not belong to the requested resource.
  if (mayFail) addWithChance(0.08, "If-None-Match", () => (random.chance(0.5) ? "*" : random.pick(world.etags)));
  addWithChance(0.05, "Origin", () => random.pick(["https://shop.example", "https://evil.example"]));
  addWithChance(0.03, "X-Forwarded-For", () => generateHeaderValue(random, "x-forwarded-for", 4_000));
  addWithChance(0.03, "Forwarded", () => generateHeaderValue(random, "forwarded", 4_000));
  addWithChance(0.02, "Accept-Encoding", () => generateHeaderValue(random, "accept-encoding", 4_000));
  addWithChance(0.02, "Range", () => generateHeaderValue(random, "range", 1_000));
  addWithChance(0.02, "Cookie", () => "a=b; c=d");
  if (draft.body && draft.version === "HTTP/1.1") addWithChance(0.02, "Expect", () => "100-continue");
  addWithChance(0.02, "Connection", () => random.pick(["close", "keep-alive", "Close"]));
  if (draft.method === "OPTIONS" || random.chance(0.02)) headers.push(["Access-Control-Request-Method", "POST"]);
}

function randomizeCase(random: Random, name: string): string {
  if (random.chance(0.7)) return name;
  return [...name].map((letter) => (random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase())).join("");
}
