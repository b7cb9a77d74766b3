import { isUtf8 } from "node:buffer";
import { parseJson, toJson } from "../../src/base/json.ts";
import { isServiceFailure } from "../../src/operations/errors.ts";
import { Conformance } from "../support/conformance.ts";
import type { Case, SentRequest } from "./cases.ts";
import type { WireResponse } from "./responses.ts";

export interface Verdict {
  /** False if the response only says that the bytes are not a valid request. */
  readonly belongsToRequest: boolean;
  readonly problems: readonly string[];
}

export class Oracle {
  readonly #conformance: Conformance;
  readonly #knownHeaders: ReadonlySet<string>;

  constructor(document: unknown) {
    this.#conformance = new Conformance(document);
    this.#knownHeaders = new Set([...collectHeaders(document), ...undocumentedHeaders]);
  }

  /** Checks a response. `request` is the request to which the response belongs, if that is certain. */
  judge(fuzzCase: Case, request: SentRequest | undefined, response: WireResponse): Verdict {
    const { status, headers } = response;
    const fields = new Headers(headers.map(([name, value]) => [name, value]));
    const id = fields.get("x-request-id");
    const problems = [...this.#findHeaderProblems(response)];
    if (id === null) problems.push("it has no X-Request-Id");
    if (isServiceFailure(status)) problems.push("it is an error of the service");
    if (id !== request?.id && isRefusal(request, response, fields)) {
      if (fuzzCase.due === "responses" && request?.id !== undefined)
        problems.push("it refuses the request, which HTTP allows");
      return { belongsToRequest: false, problems };
    }
    if (request?.id !== undefined && id !== request.id) problems.push(`its request id is ${id}, not ${request.id}`);
    if (request) problems.push(...this.#findContentProblems(request, fields, response));
    return { belongsToRequest: true, problems };
  }

  *#findHeaderProblems({ headers }: WireResponse): Iterable<string> {
    const seen = new Set<string>();
    for (const [name] of headers) {
      if (seen.has(name)) yield `it has ${name} twice`;
      if (!this.#knownHeaders.has(name)) yield `it has the header ${name}, which the service never sends`;
      seen.add(name);
    }
  }

  *#findContentProblems(request: SentRequest, headers: Headers, { status, body }: WireResponse): Iterable<string> {
    const isText = !headers.has("content-encoding");
    if (isText && !isUtf8(body)) yield "its body is not UTF-8";
    const text = isText ? body.toString() : "";
    if (status >= 400 && /\.ts:\d|SQLITE_|node_modules|\bat \S+ \(/.test(text))
      yield "it shows what is inside of the service";
    if (request.method === "") return;
    yield* this.#findDeviations(request, status, headers, text);
    yield* findAdmissionProblems(request, status, headers);
    if (request.expectedPet !== undefined) yield* findCreationProblems(request.expectedPet, status, text);
  }

  /** Checks the response against the OpenAPI document. If a target has several interpretations, one of them must explain the response. */
  #findDeviations({ method, target }: SentRequest, status: number, headers: Headers, text: string): string[] {
    const problems: string[] = [];
    for (const path of listPossiblePaths(target)) {
      try {
        this.#conformance.check({ method, path, status, headers, text });
        return [];
      } catch (error) {
        problems.push(String(error));
      }
    }
    return problems.slice(0, 1);
  }
}

function* findAdmissionProblems({ keyCertainty }: SentRequest, status: number, headers: Headers): Iterable<string> {
  // Responses to authenticated requests have rate limit headers, even a 429 for too many exports.
  const isRefused = status === 401 || (status === 429 && !headers.has("ratelimit"));
  if (keyCertainty === "sure" && isRefused) yield "a key that works was refused";
  if (keyCertainty === "none" && !isRefused) yield "something other than the key was checked first";
}

/** Checks that a valid create adds exactly the animal in its body, even if the request was split. */
function* findCreationProblems(sentPet: unknown, status: number, text: string): Iterable<string> {
  if (status !== 201) yield "a valid animal was not added";
  else {
    const { id: _, ...addedPet } = parseJson(text) as { id: number };
    const { name, categoryId, status: expectedStatus = "available" } = sentPet as Record<string, unknown>;
    const expected = toJson({ name, categoryId, status: expectedStatus });
    if (toJson(addedPet) !== expected) yield `the animal that was added is not the one that was sent: ${expected}`;
  }
}

function listPossiblePaths(target: string): Set<string> {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return new Set([target, path.startsWith("/") ? path : `/${path}`]);
}

/** True if the response refuses malformed bytes, from which the service may be unable to read the request id. */
function isRefusal(request: SentRequest | undefined, { status, body }: WireResponse, headers: Headers): boolean {
  if (headers.get("connection") !== "close") return false;
  const codes: Record<number, string> = {
    400: "BadRequest",
    431: "RequestHeaderFieldsTooLarge",
    501: "NotImplemented",
    505: "HttpVersionNotSupported",
  };
  if (!(status in codes)) return false;
  // The body may be missing only if the bytes may have been a HEAD request.
  if (body.length === 0) return request === undefined || /^head$/i.test(request.method);
  const error = JSON.parse(body.toString());
  return error.code === codes[status] && error.status === status && typeof (error.message ?? error.detail) === "string";
}

function collectHeaders(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "headers" && typeof value === "object"
      ? Object.keys(value as object).map((name) => name.toLowerCase())
      : collectHeaders(value),
  );
}

const undocumentedHeaders = `
  access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers
  access-control-max-age allow cache-control connection content-encoding content-length transfer-encoding
  content-security-policy content-type cross-origin-resource-policy date etag referrer-policy vary
  x-content-type-options x-frame-options x-request-id
`
  .trim()
  .split(/\s+/);
