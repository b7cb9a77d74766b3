import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/base/json.ts";
import { operations } from "../../src/operations/index.ts";
import { isInService } from "../../src/operations/operation.ts";
import { Conformance } from "./conformance.ts";

export interface CallOptions {
  readonly method?: string;
  /** The bearer token; null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body with its integers exact. */
  readonly json: unknown;
}

/** Sends requests over HTTP, and checks every response against the OpenAPI document of the service. */
export class Client {
  #conformance: Promise<Conformance> | undefined;

  constructor(
    readonly url: URL,
    readonly key: string,
    /** The certificate of a service with HTTPS. */
    readonly ca?: string,
    /** True if the service serves the committed OpenAPI document, which then need not be requested. */
    readonly servesCommittedDocument = false,
  ) {}

  async call(path: string, { method, key = this.key, headers = {}, body }: CallOptions = {}): Promise<CheckedResponse> {
    const sentHeaders = new Headers(headers);
    if (key !== null && !sentHeaders.has("authorization")) sentHeaders.set("authorization", `Bearer ${key}`);
    const httpMethod = method ?? (body === undefined ? "GET" : "POST");
    const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    if (body !== undefined && !sentHeaders.has("content-type")) sentHeaders.set("content-type", "application/json");
    const response = await fetch(new URL(path, this.url), {
      method: httpMethod,
      headers: sentHeaders,
      redirect: "manual",
      ...this.#tls,
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    } as RequestInit);
    return await this.check(httpMethod, path, response.status, response.headers, await response.text());
  }

  /** Returns a file in its transferred form, which may be compressed. */
  async bytes(path: string, headers: Record<string, string>): Promise<{ headers: Headers; bytes: Buffer }> {
    const response = await fetch(new URL(path, this.url), { headers, decompress: false } as RequestInit);
    return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  async *walk(
    start: string,
    beforeEachPage: () => void | Promise<void> = () => {},
  ): AsyncIterable<{ id: number; name: string }> {
    for (let address: string | undefined = start; address; ) {
      await beforeEachPage();
      const response = await this.call(address);
      if (response.status !== 200)
        throw new Error(`The response of ${address} was ${response.status}: ${response.text}`);
      yield* response.json as { id: number; name: string }[];
      address = nextPageOf(response);
    }
  }

  /** Returns a response without reading its body, which may never end. Checks its status and headers against the document. */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const response = await fetch(new URL(path, this.url), { headers, signal, ...this.#tls });
    const text = response.ok ? "" : await response.text();
    await this.check("GET", path, response.status, response.headers, text);
    return response;
  }

  /** A `fetch` for clients under test that also checks each response against the OpenAPI document. */
  readonly fetch = (async (address: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(address, init);
    const { pathname, search } = new URL(address);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const text = isStream ? "" : await response.clone().text();
    await this.check(init.method ?? "GET", pathname + search, response.status, response.headers, text);
    return response;
  }) as typeof globalThis.fetch;

  async check(method: string, path: string, status: number, headers: Headers, text: string): Promise<CheckedResponse> {
    this.#conformance ??= this.servesCommittedDocument ? loadCommittedConformance() : this.#fetchConformance();
    (await this.#conformance).check({ method, path, status, headers, text });
    const isJson = /[/+]json/.test(headers.get("content-type") ?? "") && text !== "";
    return { status, headers, text, json: isJson ? parseJson(text) : undefined };
  }

  get #tls() {
    return this.ca === undefined ? {} : { tls: { ca: this.ca } };
  }

  async #fetchConformance(): Promise<Conformance> {
    // Compression would take longer than the transfer of the uncompressed document.
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(new URL("/v1/openapi.json", this.url), { headers, ...this.#tls } as RequestInit);
    return compileConformance(await response.text());
  }
}

/** Compiles the committed document, because generating it takes longer than most tests. Another test compares the two. */
async function loadCommittedConformance(): Promise<Conformance> {
  committedConformance ??= compileConformance(readFileSync(committedDocumentFile, "utf8"));
  return committedConformance;
}

/** True if the service serves the committed document today: no operation has passed its sunset date. */
export function isCommittedDocumentServed(): boolean {
  return operations.every((operation) => isInService(operation, Date.now));
}

export const committedDocumentFile = join(import.meta.dir, "../../openapi.json");
let committedConformance: Conformance | undefined;

/** Compiles a document once for all services that serve it. */
function compileConformance(document: string): Conformance {
  // Documents differ only in the URLs of the services, which do not matter for responses.
  const { servers: _, ...rest } = JSON.parse(document);
  const key = JSON.stringify(rest);
  let conformance = conformances.get(key);
  if (!conformance) {
    conformance = new Conformance(rest);
    conformances.set(key, conformance);
  }
  return conformance;
}

const conformances = new Map<string, Conformance>();

export function nextPageOf({ headers }: CheckedResponse): string | undefined {
  return linkOf(headers.get("link"), "next");
}

export function linkOf(header: string | null, relation: string): string | undefined {
  for (const [, address, name] of (header ?? "").matchAll(/<([^>]*)>; rel="([^"]*)"/g)) {
    if (name === relation) return address;
  }
  return undefined;
}
