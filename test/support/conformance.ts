import Schema, { type Validator } from "typebox/schema";
import { homePath, views } from "../../src/console/views.ts";
import { errorCodes, errorKinds } from "../../src/operations/errors.ts";

/** A response that was read completely. */
export interface FullResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Node {
  readonly [key: string]: Node;
}

interface Header {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly schema: Node;
}

/** Checks responses against an OpenAPI document. Validators and headers are cached per node of the document. */
export class Conformance {
  readonly #validators = new Map<string, Validator<object>>();
  readonly #validatorsByNode = new Map<Node, Validator<object>>();
  readonly #headersByNode = new Map<Node, ReadonlyMap<string, Header>>();
  readonly #document: Node;
  readonly #paths: readonly { readonly parts: readonly string[]; readonly item: Node }[];

  constructor(document: unknown) {
    this.#document = document as Node;
    this.#paths = Object.entries(this.#document["paths"] ?? {}).map(([template, item]) => ({
      parts: template.split("/"),
      item,
    }));
  }

  /** Throws an error that lists every violation of the document. */
  check(received: FullResponse): void {
    const problems = [...this.#findProblems(received)];
    if (problems.length === 0) return;
    const { method, path, status, text } = received;
    throw new Error(`${method} ${path} got ${status}, but ${problems.join("; ")}.\n${text.slice(0, 500)}`);
  }

  *#findProblems(received: FullResponse): Iterable<string> {
    const { method, path, status, headers, text } = received;
    const isHtmlPage = /^text\/html;/.test(headers.get("content-type") ?? "");
    if (status >= 400 && method !== "HEAD" && !isHtmlPage) yield* findCodeProblems(status, text);
    if (!headers.get("x-request-id")) yield "it has no X-Request-Id";
    if (headers.get("server") || headers.get("x-powered-by")) yield "it names the software";
    if (method === "OPTIONS" && headers.has("access-control-allow-methods")) {
      if (status !== 204 || text !== "") yield "a response to a preflight request must be empty";
      return;
    }
    if (isHtmlPage) {
      yield* findHtmlPageProblems(received);
      return;
    }
    if (status === 308) {
      if (!isUndocumentedPath(path.replace(/\/(?=\?|$)/, ""))) yield "it redirects to a path without an HTML page";
      if (text !== "") yield "it has content";
      return;
    }
    if (isUndocumentedPath(path)) {
      if (status !== 200 && status !== 304) yield* this.#findErrorProblems(received);
      return;
    }
    const operation = this.#findOperation(method, path);
    const response = operation?.["responses"]?.[status];
    if (response) yield* this.#findResponseProblems(received, this.#resolve(response));
    else if (operation && status !== 401) yield "the document does not give that status for the operation";
    else yield* this.#findErrorProblems(received);
  }

  *#findResponseProblems(received: FullResponse, response: Node): Iterable<string> {
    const { method, headers, text } = received;
    yield* this.#findHeaderProblems(headers, response["headers"] ?? noHeaders);
    if (!response["content"] || method === "HEAD") {
      if (text !== "") yield "it has a body";
      return;
    }
    const type = headers.get("content-type") ?? "";
    const content = response["content"]?.[type];
    if (!content) yield `the document does not contain the media type ${type}`;
    else yield* this.#findBodyProblems(text, content["schema"] as Node);
  }

  *#findHeaderProblems(headers: Headers, documented: Node): Iterable<string> {
    const expected = this.#headersOf(documented);
    for (const [name, value] of headers) {
      if (undocumentedHeaders.has(name)) continue;
      const header = expected.get(name);
      if (!header) yield `the document does not contain the header ${name}`;
      else if (!this.#validatorFor(header.schema).Check(header.isInteger ? Number(value) : value)) {
        yield `the header ${name} is ${value}`;
      }
    }
    for (const { name, isRequired } of expected.values()) {
      if (isRequired && !headers.has(name)) yield `it has no ${name}`;
    }
  }

  #headersOf(documented: Node): ReadonlyMap<string, Header> {
    return getOrCreate(this.#headersByNode, documented, () => {
      const headers = Object.entries(documented).map(([name, node]): [string, Header] => {
        const header = this.#resolve(node);
        const schema = header["schema"] as Node;
        const isInteger = (schema["type"] as unknown) === "integer";
        return [name.toLowerCase(), { name, isRequired: Boolean(header["required"]), isInteger, schema }];
      });
      return new Map(headers);
    });
  }

  /** Checks an error that belongs to no operation, because the path or the method is unknown. */
  *#findErrorProblems(received: FullResponse): Iterable<string> {
    const { method, status, headers, text } = received;
    if (status < 400) yield "it is not an error";
    if (status === 405 && !headers.get("allow")) yield "it has no Allow";
    const code = errorCodes.find((candidate) => errorKinds[candidate].status === status);
    const response = this.#document["components"]?.["responses"]?.[code ?? ""];
    // The document no longer contains removed operations, nor the headers of their responses.
    if (response && code !== "Gone") yield* this.#findHeaderProblems(headers, response["headers"] ?? noHeaders);
    if (method === "HEAD") return;
    const isProblem = headers.get("content-type") === "application/problem+json";
    yield* this.#findBodyProblems(text, isProblem ? problemSchema : errorSchema);
  }

  *#findBodyProblems(text: string, schema: Node): Iterable<string> {
    const validator = this.#validatorFor(schema);
    // A body other than JSON is documented as a string.
    const value = (schema["type"] as unknown) === "string" ? text : JSON.parse(text);
    if (!validator.Check(value)) {
      const [, errors] = validator.Errors(value);
      yield `the body is wrong: ${errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(", ")}`;
    }
  }

  #findOperation(method: string, path: string): Node | undefined {
    if (!path.startsWith("/v1/")) return undefined;
    // Methods are case-sensitive.
    const documentedMethod = method === "HEAD" ? "get" : method === method.toUpperCase() ? method.toLowerCase() : "";
    const requestParts = path.replace("/v1", "").replace(/\?.*/, "").split("/");
    for (const { parts, item } of this.#paths) {
      if (
        parts.length === requestParts.length &&
        parts.every(
          (part, index) => part === requestParts[index] || (part.startsWith("{") && requestParts[index] !== ""),
        )
      ) {
        return item[documentedMethod];
      }
    }
    return undefined;
  }

  #resolve(node: Node): Node {
    const reference = node["$ref"] as unknown as string | undefined;
    if (!reference) return node;
    return reference
      .replace("#/", "")
      .split("/")
      .reduce((parent, key) => parent[key] as Node, this.#document);
  }

  #validatorFor(schema: Node): Validator<object> {
    return getOrCreate(this.#validatorsByNode, schema, () => {
      // Validators are cached by text, too, because many operations contain copies of the same schema.
      const text = JSON.stringify(schema);
      // Passes the components only if needed, because the compiler traverses all components.
      const components = text.includes('"$ref"') ? { components: this.#document["components"] } : {};
      return getOrCreate(this.#validators, text, () => Schema.Compile<object>({ ...schema, ...components }));
    });
  }
}

function getOrCreate<Key, Value>(cache: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = cache.get(key) ?? create();
  cache.set(key, value);
  return value;
}

const noHeaders: Node = {};
const [errorSchema, problemSchema] = ["Error", "Problem"].map(
  (name) => ({ $ref: `#/components/schemas/${name}` }) as unknown as Node,
) as [Node, Node];

/** Checks an HTML page, which must not be the response of a path of the API. */
function* findHtmlPageProblems({ path, status, headers, text }: FullResponse): Iterable<string> {
  if (/^\/v1\/[^?]/.test(path)) yield "it is an HTML page";
  if (status !== 404 && !(isUndocumentedPath(path) && [200, 304].includes(status)))
    yield "no HTML page at this path has that status";
  if (text !== "" && !text.startsWith("<!doctype html>")) yield "it is not HTML";
  const policy = headers.get("content-security-policy") ?? "";
  if (!policy.startsWith("default-src 'none';") || policy.includes("unsafe")) yield `its policy is ${policy}`;
}

function* findCodeProblems(status: number, text: string): Iterable<string> {
  const body = JSON.parse(text);
  if (body.status !== status) yield `the body has the status ${body.status}`;
  const code = errorCodes.find((candidate) => candidate === body.code);
  if (!code || errorKinds[code].status !== status) yield `the code is ${body.code}`;
}

function isUndocumentedPath(path: string): boolean {
  const [withoutQuery = ""] = path.split("?");
  if (htmlPagePaths.has(withoutQuery)) return true;
  return /^\/(healthz|readyz(?:\/(?:reads|writes))?|metrics|v1\/openapi\.(json|yaml)|docs(\/errors)?|robots\.txt|assets\/.*)$/.test(
    withoutQuery,
  );
}

const htmlPagePaths = new Set([homePath, ...views.map((view) => view.path)]);

const undocumentedHeaders = new Set([
  "date",
  "content-length",
  "content-type",
  "connection",
  "transfer-encoding",
  "keep-alive",
  // An operator may enable this header for diagnosis, but clients must not rely on it.
  "server-timing",
]);
