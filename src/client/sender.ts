import { Attempt, timerMs } from "./attempt.ts";
import { type ApiResponse, Call, type OperationId, type ResponseHeaders, type ResultOf } from "./call.ts";
import { errorOf } from "./error-response.ts";
import {
  AnimalStoreError,
  ApiError,
  ConnectionError,
  InvalidResponseError,
  notOfTheService,
  TimeoutError,
} from "./errors.ts";
import { basePath, headerOptions, type Operations, operations } from "./generated.ts";
import { parseJson, randomId, refuseRounded, toJson } from "./json.ts";

export interface Limits {
  /** How long one attempt may take, until its answer is complete. Default: 30,000. */
  readonly timeoutMs: number;
  /** How long a call may take in all, with its retries and the waits between them. Default: 120,000. */
  readonly deadlineMs: number;
  /** How many times a call is tried again. Default: 4; 0 for never. */
  readonly maxRetries: number;
  /** A `Retry-After` that asks for longer than this is not waited for: the call fails at once. Default: 60,000. */
  readonly maxRetryAfterMs: number;
}

export interface CallOptions extends Partial<Limits> {
  /** Ends the call, whatever it is doing, also when it waits before the next attempt. */
  readonly signal?: AbortSignal | undefined;
}

export type OptionsOf<Id extends OperationId> = CallOptions & Operations[Id]["options"];

export interface Logger {
  warn(message: string): void;
}

export interface SenderOptions extends Partial<Limits> {
  readonly baseUrl: string | URL;
  readonly apiKey: string | (() => string | Promise<string>);
  readonly logger?: Logger | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Input {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The media type that is asked for, if it is not JSON. */
  readonly accept?: string;
}

/** Makes every request of the client: with a key, in time, again where that does no harm, and no longer than wanted. */
export class Sender {
  readonly logger: Logger;
  readonly #base: string;
  readonly #options: SenderOptions;
  readonly #warned = new Set<OperationId>();

  constructor(options: SenderOptions) {
    this.#base = baseOf(options.baseUrl);
    if (!["string", "function"].includes(typeof options.apiKey)) {
      throw new TypeError(`apiKey must be a string, or a function that gives one; it is ${options.apiKey}.`);
    }
    this.#options = options;
    this.#limitsOf({});
    this.logger = options.logger ?? console;
  }

  /** Calls an operation that answers with JSON, or with nothing. */
  call<Id extends OperationId>(id: Id, input: Input, options: OptionsOf<Id>): Call<Id> {
    return this.open(id, input, options, async (response) => {
      const text = await response.text();
      if (text === "" && operations[id].method === "DELETE") return undefined as ResultOf<Id>;
      const result = parseJson(text);
      if (typeof result !== "object" || result === null) throw new InvalidResponseError(notOfTheService);
      return result as ResultOf<Id>;
    });
  }

  /** Calls an operation, and reads its success by a function, which may keep the attempt to go on reading later. */
  open<Id extends OperationId, Data>(id: Id, input: Input, options: OptionsOf<Id>, read: Reader<Data>): Call<Id, Data> {
    return new Call(this.#send(id, input, options, read));
  }

  async #send<Id extends OperationId, Data>(
    id: Id,
    input: Input,
    options: OptionsOf<Id>,
    read: Reader<Data>,
  ): Promise<ApiResponse<Id, Data>> {
    const limits = this.#limitsOf(options);
    const request = this.#requestOf(id, input, options);
    const deadline = performance.now() + limits.deadlineMs;
    let mayHaveSucceeded = false;
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted();
      try {
        const leftMs = deadline - performance.now();
        const isLast = leftMs < limits.timeoutMs;
        const limit = isLast ? ([leftMs, limits.deadlineMs] as const) : ([limits.timeoutMs, limits.timeoutMs] as const);
        return await this.#try(id, request, limit, options, read);
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
        const leavesDoubt = request.method !== "GET" && isLost(error);
        mayHaveSucceeded ||= leavesDoubt;
        error.mayHaveSucceeded = mayHaveSucceeded;
        const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
        const waitMs = waitBeforeRetry(attempt, askedMs);
        const isTooLate = performance.now() + waitMs >= deadline || (askedMs ?? 0) > limits.maxRetryAfterMs;
        if (attempt >= limits.maxRetries || isTooLate || !isSafeToRetry(request, error)) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  #limitsOf(options: CallOptions & { readonly prefer?: string | undefined }): Limits {
    const limitOf = (name: keyof Limits) => {
      const limit: unknown = options[name] ?? this.#options[name] ?? defaultLimits[name];
      if (typeof limit === "number" && limit >= 0) return limit;
      throw new RangeError(`${name} must be a number of 0 or more; it is ${limit}.`);
    };
    // Whoever asks the service to wait for something waits as much longer.
    const [, waitSeconds = 0] = /\bwait=(\d+)/.exec(options.prefer ?? "") ?? [];
    return {
      timeoutMs: limitOf("timeoutMs") + Number(waitSeconds) * 1_000,
      deadlineMs: limitOf("deadlineMs"),
      maxRetries: limitOf("maxRetries"),
      maxRetryAfterMs: limitOf("maxRetryAfterMs"),
    };
  }

  /** What is sent by each attempt alike, so that all of them have the same idempotency key. */
  #requestOf(id: OperationId, { path = {}, query = {}, body, accept }: Input, options: object): SentRequest {
    const operation: OperationFacts = operations[id];
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(idOf(name, path[name])),
    );
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.map(textOf).join(",") : textOf(value));
    }
    const headers = new Headers({ Accept: `${accept ?? "application/json"}, application/problem+json` });
    if (operation.takesKey) headers.set("Idempotency-Key", randomId());
    for (const [option, value] of Object.entries(options)) {
      const name = headerOptions[option as keyof typeof headerOptions];
      if (name && value !== undefined) headers.set(name, String(value));
    }
    if (body !== undefined) headers.set("Content-Type", operation.mediaType ?? "application/json");
    return {
      url: `${this.#base}${filled}${parameters.size > 0 ? `?${parameters}` : ""}`,
      method: operation.method,
      headers,
      body: body === undefined ? undefined : toJson(body),
    };
  }

  async #try<Id extends OperationId, Data>(
    id: Id,
    { url, method, headers, body }: SentRequest,
    [limitMs, statedMs]: readonly [number, number],
    { signal }: CallOptions,
    read: Reader<Data>,
  ): Promise<ApiResponse<Id, Data>> {
    const { apiKey, fetch = globalThis.fetch } = this.#options;
    headers.set("Authorization", `Bearer ${typeof apiKey === "string" ? apiKey : await apiKey()}`);
    const attempt = new Attempt(signal, limitMs, statedMs);
    try {
      const response = await fetch(url, {
        method,
        headers,
        cache: "no-store",
        credentials: "omit",
        // The key must not be sent elsewhere, and what the answer was should be told.
        redirect: "manual",
        signal: attempt.signal,
        ...(body !== undefined && { body }),
      });
      this.#warnIfDeprecated(id, response.headers);
      if (!response.ok) throw errorOf(response, await response.text());
      return {
        data: await read(response, attempt),
        status: response.status as Operations[Id]["status"],
        headers: response.headers as ResponseHeaders<Operations[Id]["headers"]>,
        requestId: response.headers.get("X-Request-Id") ?? "",
      };
    } catch (error) {
      throw attempt.explain(error);
    } finally {
      if (!attempt.isKept) attempt.end();
    }
  }

  #warnIfDeprecated(id: OperationId, headers: Headers): void {
    if (!headers.has("Deprecation") || this.#warned.has(id)) return;
    this.#warned.add(id);
    const sunset = headers.get("Sunset");
    const until = sunset ? ` It works until ${new Date(sunset).toISOString().slice(0, 10)}.` : "";
    const [, successor] = /<([^>]*)>;\s*rel="successor-version"/.exec(headers.get("Link") ?? "") ?? [];
    this.logger.warn(`animal-store: ${id} is deprecated.${until}${successor ? ` Use ${successor} instead.` : ""}`);
  }
}

/** The URL that the paths of operations are appended to. */
function baseOf(baseUrl: string | URL): string {
  const url = urlOf(baseUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl must be a URL such as http://127.0.0.1:8080; it is ${baseUrl}.`);
  }
  // It would be refused by fetch, with an error that repeats the password.
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("baseUrl must not contain a user name or a password. Give the API key as apiKey.");
  }
  const withoutVersion = `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(new RegExp(`${basePath}$`), "");
  return withoutVersion + basePath;
}

/** In a browser, a URL may be relative to the page, where undefined would stand for a path of that name. */
function urlOf(text: string | URL | undefined): URL | undefined {
  if (text === undefined) return undefined;
  try {
    return new URL(text, (globalThis as { location?: { href: string } }).location?.href);
  } catch {
    return undefined;
  }
}

type Reader<Data> = (response: Response, attempt: Attempt) => Promise<Data>;

interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly takesKey: boolean;
  readonly mediaType?: string;
}

interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** What a method is called with by mistake must not become a request for something else. */
export function idOf(name: string, id: unknown): string {
  if (id === undefined || id === null || id === "") throw new TypeError(`${name} is missing.`);
  return textOf(id);
}

function textOf(parameter: unknown): string {
  return String(refuseRounded(parameter));
}

const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 4, maxRetryAfterMs: 60_000 };

/** Whether it is unknown what became of the request: the service may have done what was asked. */
function isLost(error: AnimalStoreError): boolean {
  if (error instanceof ApiError) return [500, 502, 503, 504].includes(error.status);
  return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof InvalidResponseError;
}

/** Whether the service said that it did nothing, and to come back later. */
function isForLater(error: AnimalStoreError): boolean {
  if (!(error instanceof ApiError)) return false;
  // With 409, an earlier attempt with the same idempotency key is still in progress.
  return [408, 429].includes(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
}

function isSafeToRetry({ method, headers }: SentRequest, error: AnimalStoreError): boolean {
  if (isForLater(error)) return true;
  if (!isLost(error)) return false;
  // A change that may have been made would be made again over what others have changed since, unless it says of what.
  if (method === "PATCH") return headers.has("If-Match");
  return method !== "POST" || headers.has("Idempotency-Key");
}

/** At least as long as the service asks for, longer each time, and never the same for all who failed in the same moment. */
export function waitBeforeRetry(attempt: number, askedMs = 0): number {
  const longestMs = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
  return Math.max(longestMs * (0.5 + Math.random() / 2), askedMs + Math.random() * firstWaitMs);
}

const firstWaitMs = 250;
const longestWaitMs = 8_000;

export function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, timerMs(durationMs));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
