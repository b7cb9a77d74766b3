import Schema, { type Validator } from "typebox/schema";
import { home, views } from "../../src/console/views.ts";
import { errorCodes, errorKinds } from "../../src/operations/errors.ts";

/** What the checks need to know of a response that has been read. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Node {
  readonly [key: string]: Node;
}

/** Holds responses against the OpenAPI document that the service itself serves. */
export class Conformance {
  readonly #validators = new Map<string, Validator>();
  readonly #document: Node;

  constructor(document: unknown) {
    this.#document = document as Node;
  }

  /** Throws an error that names everything about the response that the document does not allow. */
  check(received: Received): void {
    const problems = [...this.#problems(received)];
    if (problems.length === 0) return;
    const { method, path, status, text } = received;
    throw new Error(
      `${method} ${path} was answered with ${status}, but ${problems.join("; ")}.\n${text.slice(0, 500)}`,
    );
  }

  *#problems(received: Received): Iterable<string> {
    const { method, path, status, headers, text } = received;
    const isPage = /^text\/html;/.test(headers.get("content-type") ?? "");
    if (status >= 400 && method !== "HEAD" && !isPage) yield* codeProblems(status, text);
    if (!headers.get("x-request-id")) yield "it has no X-Request-Id";
    if (headers.get("server") || headers.get("x-powered-by")) yield "it names the software";
    if (method === "OPTIONS" && headers.has("access-control-allow-methods")) {
      if (status !== 204 || text !== "") yield "a preflight has no content";
      return;
    }
    if (isPage) {
      yield* pageProblems(received);
      return;
    }
    if (status === 308) {
      if (!isServicePath(path.replace(/\/(?=\?|$)/, ""))) yield "there is no page to lead to";
      if (text !== "") yield "it has content";
      return;
    }
    if (isServicePath(path)) {
      if (status !== 200 && status !== 304) yield* this.#errorProblems(received);
      return;
    }
    const operation = this.#operationAt(method, path);
    const response = operation?.["responses"]?.[status];
    if (response) yield* this.#responseProblems(received, this.#resolve(response));
    else if (operation && status !== 401) yield "the document does not give that status for the operation";
    else yield* this.#errorProblems(received);
  }

  *#responseProblems(received: Received, response: Node): Iterable<string> {
    const { method, headers, text } = received;
    yield* this.#headerProblems(headers, response["headers"] ?? {});
    if (!response["content"] || method === "HEAD") {
      if (text !== "") yield "it has a body";
      return;
    }
    const type = headers.get("content-type") ?? "";
    const content = response["content"]?.[type];
    if (!content) yield `the document does not give the media type ${type}`;
    else yield* this.#bodyProblems(text, content["schema"] as Node);
  }

  /** What the document does not give must not be there, and what it says is always there must be. */
  *#headerProblems(headers: Headers, documented: Node): Iterable<string> {
    const described = new Map(
      Object.entries(documented).map(([name, header]) => [name.toLowerCase(), this.#resolve(header)]),
    );
    for (const [name, value] of headers) {
      if (ofHttpItself.has(name)) continue;
      const header = described.get(name);
      if (!header) yield `the document does not give the header ${name}`;
      else {
        const schema = header["schema"] as Node;
        const typed = (schema["type"] as unknown) === "integer" ? Number(value) : value;
        if (!this.#validator(schema).Check(typed)) yield `the header ${name} is ${value}`;
      }
    }
    for (const [name, header] of Object.entries(documented)) {
      if (this.#resolve(header)["required"] && !headers.has(name)) yield `it has no ${name}`;
    }
  }

  /** An error that belongs to no operation: an unknown address or a method that it does not take. */
  *#errorProblems(received: Received): Iterable<string> {
    const { method, status, headers, text } = received;
    if (status < 400) yield "that is no error";
    if (status === 405 && !headers.get("allow")) yield "it has no Allow";
    const code = errorCodes.find((one) => errorKinds[one].status === status);
    const response = this.#document["components"]?.["responses"]?.[code ?? ""];
    // What is gone has left the document, with the headers that only it had.
    if (response && code !== "Gone") yield* this.#headerProblems(headers, response["headers"] ?? {});
    if (method === "HEAD") return;
    const isProblem = headers.get("content-type") === "application/problem+json";
    yield* this.#bodyProblems(text, {
      $ref: `#/components/schemas/${isProblem ? "Problem" : "Error"}`,
    } as unknown as Node);
  }

  *#bodyProblems(text: string, schema: Node): Iterable<string> {
    const validator = this.#validator(schema);
    // What is no JSON is described as a string.
    const value = (schema["type"] as unknown) === "string" ? text : JSON.parse(text);
    if (!validator.Check(value)) {
      const [, errors] = validator.Errors(value);
      yield `the body is wrong: ${errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(", ")}`;
    }
  }

  #operationAt(method: string, path: string): Node | undefined {
    if (!path.startsWith("/v1/")) return undefined;
    const wanted = method === "HEAD" ? "get" : method.toLowerCase();
    const relative = path.replace("/v1", "").replace(/\?.*/, "").split("/");
    for (const [template, item] of Object.entries(this.#document["paths"] ?? {})) {
      const parts = template.split("/");
      if (
        parts.length === relative.length &&
        parts.every((part, index) => part === relative[index] || (part.startsWith("{") && relative[index] !== ""))
      ) {
        return item[wanted];
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
      .reduce((at, key) => at[key] as Node, this.#document);
  }

  #validator(schema: Node): Validator {
    const key = JSON.stringify(schema);
    let validator = this.#validators.get(key);
    if (!validator) {
      validator = Schema.Compile({ ...schema, components: this.#document["components"] });
      this.#validators.set(key, validator);
    }
    return validator;
  }
}

/** A page is for people, and never at an address of the interface but at its very root. */
function* pageProblems({ path, status, headers, text }: Received): Iterable<string> {
  if (/^\/v1\/[^?]/.test(path)) yield "that is a page";
  if (status !== 404 && !(isServicePath(path) && [200, 304].includes(status))) yield "no page has that status there";
  if (text !== "" && !text.startsWith("<!doctype html>")) yield "that is no page";
  const policy = headers.get("content-security-policy") ?? "";
  if (!policy.startsWith("default-src 'none';") || policy.includes("unsafe")) yield `its policy is ${policy}`;
}

/** An error's body and its status must tell the same, in a code of the catalogue. */
function* codeProblems(status: number, text: string): Iterable<string> {
  const body = JSON.parse(text);
  if (body.status !== status) yield `the body has the status ${body.status}`;
  const code = errorCodes.find((one) => one === body.code);
  if (!code || errorKinds[code].status !== status) yield `the code is ${body.code}`;
}

function isServicePath(path: string): boolean {
  const [withoutQuery = ""] = path.split("?");
  if ([home, ...views.map((view) => view.path)].includes(withoutQuery)) return true;
  return /^\/(healthz|readyz(?:\/(?:reads|writes))?|metrics|v1\/openapi\.(json|yaml)|docs(\/errors)?|robots\.txt|assets\/.*)$/.test(
    withoutQuery,
  );
}

const ofHttpItself = new Set([
  "date",
  "content-length",
  "content-type",
  "connection",
  "transfer-encoding",
  "keep-alive",
  // For people who look into what is slow, where operators allow it: nothing that a client may rely on.
  "server-timing",
]);
