import { Attempt, sleep } from "./attempt.ts";
import { type ApiResponse, Call, type OperationId, type ResponseHeaders, type ResultOf } from "./call.ts";
import { createError } from "./error-response.ts";
import { AnimalStoreError, ApiError, ConnectionError, InvalidResponseError, TimeoutError } from "./errors.ts";
import { basePath, headerOptions, type OperationFacts, type Operations, operations } from "./generated.ts";
import { generateId, parseJson, refuseRounded, toJson } from "./json.ts";

export interface Limits {
  /** Maximum time of one attempt, until its response is complete. Default: 30,000. */
  readonly timeoutMs: number;
  /** Maximum time of a call, with its retries and the waits between them. Default: 120,000. */
  readonly deadlineMs: number;
  /** Maximum number of retries of a call. Default: 4; 0 for none. */
  readonly maxRetries: number;
  /** Maximum `Retry-After` to wait for; if it is longer, the call fails at once. Default: 60,000. */
  readonly maxRetryAfterMs: number;
}

export interface CallOptions extends Partial<Limits> {
  /** Aborts the call at any moment, even while it waits for a retry. */
  readonly signal?: AbortSignal | undefined;
}

export type OptionsOf<Id extends OperationId> = CallOptions & Operations[Id]["options"];

export interface Logger {
  warn(message: string): void;
}

export interface AnimalStoreOptions extends Partial<Limits> {
  /** The URL of the service, such as `http://127.0.0.1:8080`, with or without `/v1`. In a browser it may be relative. */
  readonly baseUrl: string | URL;
  /** The API key, or a function that returns the current key. The client calls the function before each attempt. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Allows `http://` to other machines, although the key can then be read on the network. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** Sends the requests. Default: the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Input {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The media type to accept, if it is not JSON. */
  readonly accept?: string;
}

export class Sender {
  readonly logger: Logger;
  readonly #baseUrl: string;
  readonly #options: AnimalStoreOptions;
  readonly #warnedOperations = new Set<OperationId>();

  constructor(options: AnimalStoreOptions) {
    this.#baseUrl = resolveBaseUrl(options.baseUrl, options.allowInsecureHttp === true);
    if (typeof options.apiKey !== "function") requireKey(options.apiKey);
    this.#options = options;
    this.#resolveLimits({});
    this.logger = options.logger ?? console;
  }

  call<Id extends OperationId>(id: Id, input: Input, options: OptionsOf<Id>): Call<Id> {
    return this.open(id, input, options, async (response) => {
      const text = await response.text();
      if (text === "" && operations[id].method === "DELETE") return undefined as ResultOf<Id>;
      const result = parseJson(text);
      if (typeof result !== "object" || result === null) throw new InvalidResponseError();
      return result as ResultOf<Id>;
    });
  }

  /** Passes a successful response to `read`, which may keep the attempt open to read more later. */
  open<Id extends OperationId, Data>(id: Id, input: Input, options: OptionsOf<Id>, read: Reader<Data>): Call<Id, Data> {
    return new Call(this.#send(id, input, options, read));
  }

  async #send<Id extends OperationId, Data>(
    id: Id,
    input: Input,
    options: OptionsOf<Id>,
    read: Reader<Data>,
  ): Promise<ApiResponse<Id, Data>> {
    const limits = this.#resolveLimits(options);
    const request = this.#createRequest(id, input, options);
    const deadline = performance.now() + limits.deadlineMs;
    let mayHaveSucceeded = false;
    for (let retryCount = 0; ; retryCount++) {
      options.signal?.throwIfAborted();
      try {
        request.headers.set("Authorization", `Bearer ${await this.#requireCurrentKey()}`);
        const limitMs = Math.min(limits.timeoutMs, deadline - performance.now());
        return await this.#sendOnce(id, request, new Attempt(options.signal, limitMs), read);
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
        mayHaveSucceeded ||= request.method !== "GET" && isOutcomeUnknown(error);
        error.mayHaveSucceeded = mayHaveSucceeded;
        const { retryAfterMs = 0 } = error instanceof ApiError ? error : {};
        const waitMs = computeRetryDelayMs(retryCount, retryAfterMs);
        const isTooLate = performance.now() + waitMs >= deadline || retryAfterMs > limits.maxRetryAfterMs;
        if (retryCount >= limits.maxRetries || isTooLate || !isSafeToRetry(request, error)) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  #resolveLimits(options: CallOptions & { readonly prefer?: string | undefined }): Limits {
    const resolveLimit = (name: keyof Limits) => {
      const limit: unknown = options[name] ?? this.#options[name] ?? defaultLimits[name];
      if (typeof limit === "number" && limit >= 0) return limit;
      throw new RangeError(`${name} must be a number of 0 or more; it is ${limit}.`);
    };
    // With `Prefer: wait`, the service may wait this long before it responds.
    const [, waitSeconds = 0] = /\bwait=(\d+)/.exec(options.prefer ?? "") ?? [];
    return {
      timeoutMs: resolveLimit("timeoutMs") + Number(waitSeconds) * 1_000,
      deadlineMs: resolveLimit("deadlineMs"),
      maxRetries: resolveLimit("maxRetries"),
      maxRetryAfterMs: resolveLimit("maxRetryAfterMs"),
    };
  }

  /** All attempts have the same request, and so the same idempotency key. */
  #createRequest(
    id: OperationId,
    { path: pathValues = {}, query = {}, body, accept }: Input,
    options: object,
  ): SentRequest {
    const operation: OperationFacts = operations[id];
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(requireId(name, pathValues[name])),
    );
    const parameters = new URLSearchParams(
      Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]): [string, string] => [name, [value].flat().map(toText).join(",")]),
    );
    const headers = new Headers({ Accept: `${accept ?? "application/json"}, application/problem+json` });
    if (operation.takesKey) headers.set("Idempotency-Key", generateId());
    for (const [option, value] of Object.entries(options)) {
      const name = headerOptions[option as keyof typeof headerOptions];
      if (name && value !== undefined) headers.set(name, String(value));
    }
    if (body !== undefined) headers.set("Content-Type", operation.mediaType ?? "application/json");
    return {
      url: `${this.#baseUrl}${path}${parameters.size > 0 ? `?${parameters}` : ""}`,
      method: operation.method,
      headers,
      ...(body !== undefined && { body: toJson(body) }),
    };
  }

  async #sendOnce<Id extends OperationId, Data>(
    id: Id,
    { url, ...request }: SentRequest,
    attempt: Attempt,
    read: Reader<Data>,
  ): Promise<ApiResponse<Id, Data>> {
    const { fetch = globalThis.fetch } = this.#options;
    try {
      const response = await fetch(url, {
        ...request,
        cache: "no-store",
        credentials: "omit",
        // The API key must not be sent to the target of a redirect.
        redirect: "manual",
        signal: attempt.signal,
      });
      this.#warnIfDeprecated(id, response.headers);
      if (!response.ok) throw createError(response, await response.text());
      return {
        data: await read(response, attempt),
        status: response.status as Operations[Id]["status"],
        headers: response.headers as ResponseHeaders<Operations[Id]["headers"]>,
        requestId: response.headers.get("X-Request-Id") ?? "",
      };
    } catch (error) {
      throw attempt.convertError(error);
    } finally {
      if (!attempt.isHandedOver) attempt.end();
    }
  }

  async #requireCurrentKey(): Promise<string> {
    const { apiKey } = this.#options;
    return typeof apiKey === "function" ? requireKey(await apiKey()) : apiKey;
  }

  #warnIfDeprecated(id: OperationId, headers: Headers): void {
    if (!headers.has("Deprecation") || this.#warnedOperations.has(id)) return;
    this.#warnedOperations.add(id);
    const sunset = headers.get("Sunset");
    const until = sunset ? ` It works until ${new Date(sunset).toISOString().slice(0, 10)}.` : "";
    const [, successor] = /<([^>]*)>;\s*rel="successor-version"/.exec(headers.get("Link") ?? "") ?? [];
    this.logger.warn(`animal-store: ${id} is deprecated.${until}${successor ? ` Use ${successor} instead.` : ""}`);
  }
}

function resolveBaseUrl(baseUrl: string | URL, isInsecureAllowed: boolean): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  // In a browser, the URL may be relative to the page. Undefined would become the path `undefined`.
  const url = baseUrl !== undefined && URL.canParse(String(baseUrl), page) ? new URL(baseUrl, page) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl must be a URL such as http://127.0.0.1:8080; it is ${baseUrl}.`);
  }
  // The error of fetch would repeat the password.
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("baseUrl must not contain a user name or a password. Give the API key as apiKey.");
  }
  if (url.protocol === "http:" && !loopbackPattern.test(url.hostname) && !isInsecureAllowed) {
    throw new TypeError(
      `baseUrl must begin with https:// because it is not on this machine: over ${url.origin}, others could read the key. Set allowInsecureHttp to accept that.`,
    );
  }
  const withoutVersion = `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(new RegExp(`${basePath}$`), "");
  return withoutVersion + basePath;
}

const loopbackPattern = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

function requireKey(key: unknown): string {
  if (typeof key === "string" && key !== "") return key;
  throw new TypeError(`apiKey must be a string, or a function that gives one; it is ${key === "" ? "empty" : key}.`);
}

type Reader<Data> = (response: Response, attempt: Attempt) => Promise<Data>;

interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

/** Refuses an empty id, because a path without the id would name another resource. */
export function requireId(name: string, id: unknown): string {
  if (id === undefined || id === null || id === "") throw new TypeError(`${name} is missing.`);
  return toText(id);
}

function toText(parameter: unknown): string {
  return String(refuseRounded(parameter));
}

const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 4, maxRetryAfterMs: 60_000 };

/** True if the service may have carried out the request. */
function isOutcomeUnknown(error: AnimalStoreError): boolean {
  if (error instanceof ApiError) return [500, 502, 503, 504].includes(error.status);
  return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof InvalidResponseError;
}

function isSafeToRetry({ method, headers }: SentRequest, error: AnimalStoreError): boolean {
  if (error instanceof ApiError && [408, 429].includes(error.status)) return true;
  // An earlier attempt with the same idempotency key is still in progress.
  if (error instanceof ApiError && error.status === 409 && error.retryAfterMs !== undefined) return true;
  if (!isOutcomeUnknown(error)) return false;
  // If the PATCH has succeeded, a retry without a precondition could overwrite a later change of another client.
  if (method === "PATCH") return headers.has("If-Match");
  return method !== "POST" || headers.has("Idempotency-Key");
}

/** The delay is exponential with jitter, and no less than the service requests. */
export function computeRetryDelayMs(retryCount: number, requestedMs = 0): number {
  const maxMs = Math.min(firstWaitMs * 2 ** retryCount, maxWaitMs);
  return Math.max(maxMs * (0.5 + Math.random() / 2), requestedMs + Math.random() * firstWaitMs);
}

const firstWaitMs = 250;
const maxWaitMs = 8_000;
