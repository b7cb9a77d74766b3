import type { ClientRequest } from "node:http";
import { isIP } from "node:net";
import type { Clock, Stopwatch } from "../base/clock.ts";
import { hostOf } from "../base/network.ts";
import { retryAfterMs } from "../base/retry-after.ts";
import type { AddressGuard } from "./address-guard.ts";
import { resolveName } from "./resolve-name.ts";
import { signedHeaders } from "./signature.ts";

/** What came of sending an event once. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Whether the receiver has said that it wants no more. */
  readonly isGone: boolean;
  /** Whether no connection was made, so that nobody can have received anything. */
  readonly isUnreached: boolean;
  /** Of the response, if there was one. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** How long the receiver has asked to be left alone. */
  readonly retryAfterMs: number;
}

export interface SentEvent {
  readonly id: string;
  readonly body: string;
}

/** The addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface SenderParts {
  readonly guard: AddressGuard;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  /** If names do not stand for what they stand for on this machine. */
  readonly resolve?: Resolve | undefined;
  /** A certificate that receivers may be known by besides those of the usual authorities. */
  readonly ca?: string | undefined;
}

/**
 * Sends events to receivers. A name is looked up once for each attempt, and the connection goes to the very address that was
 * checked, whatever the name stands for a moment later. Redirects are not followed, and proxies are not used.
 */
export class Sender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Never throws, unless the signal ends it. */
  async send(
    url: string,
    secrets: readonly string[],
    event: SentEvent,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<Attempt> {
    const { stopwatch } = this.#parts;
    const startedAt = stopwatch();
    const limit = new Limit(limitMs, signal);
    try {
      const answer = await this.#attempt(new URL(url), secrets, event, limit);
      return { ...answer, durationMs: Math.max(0, Math.round(stopwatch() - startedAt)) };
    } catch (error) {
      signal?.throwIfAborted();
      const text = limit.isOver ? `${limit.whatIsLate} within ${limitMs / 1000} seconds.` : explain(error);
      const durationMs = Math.max(0, Math.round(stopwatch() - startedAt));
      const isUnreached = (error as NodeJS.ErrnoException).syscall === "connect";
      return { isDelivered: false, isGone: false, isUnreached, status: null, error: text, durationMs, retryAfterMs: 0 };
    } finally {
      limit.end();
    }
  }

  async #attempt(
    url: URL,
    secrets: readonly string[],
    { id, body }: SentEvent,
    limit: Limit,
  ): Promise<Omit<Attempt, "durationMs">> {
    const { clock, ca } = this.#parts;
    limit.whatIsLate = "The host of the receiver could not be looked up";
    const address = await limit.within(this.#checkedAddress(url));
    limit.whatIsLate = "The receiver did not answer";
    const bytes = Buffer.from(body);
    const options = {
      method: "POST",
      host: hostOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      agent: false as const,
      lookup: pinned(address),
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "animal-store",
        ...signedHeaders(secrets, id, clock(), body),
      },
    };
    // Loaded only now, since every start would wait for them.
    const request =
      url.protocol === "https:"
        ? (await import("node:https")).request({ ...options, ...(ca && { ca }) })
        : (await import("node:http")).request(options);
    let answer: Omit<Attempt, "durationMs"> | undefined;
    const judged = (status: number, retryAfter: string | undefined) => {
      answer = judge(status, retryAfter, clock());
      return answer;
    };
    try {
      return await limit.within(exchange(request, bytes, judged), () => request.destroy());
    } catch (error) {
      // The status has said all there is to know, also if the rest of the answer never comes.
      if (answer) return answer;
      throw error;
    }
  }

  /** Throws if there is none, or one of them may not be sent to. */
  async #checkedAddress(url: URL): Promise<string> {
    const { guard, resolve = resolveName } = this.#parts;
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await resolve(host);
    const refused = addresses.find((address) => !guard.isAllowed(address));
    if (refused !== undefined) {
      throw new Refusal(`${host} has the address ${refused}, to which webhooks are not sent.`);
    }
    // Version 4 first: where there is no way to addresses of version 6, they are found by name all the same.
    const [address] = addresses.toSorted((one, other) => isIP(one) - isIP(other));
    if (address === undefined) throw new Refusal(`${host} has no address.`);
    if (url.protocol !== "https:" && !guard.isNamed(address)) {
      throw new Refusal(`${host} must be reached over HTTPS.`);
    }
    return address;
  }
}

/** A reason in words of our own. */
class Refusal extends Error {}

/** How long an attempt may take, and whether somebody has ended it. */
class Limit {
  readonly #end = Promise.withResolvers<never>();
  readonly #timer: Timer;
  readonly #signal: AbortSignal | undefined;
  isOver = false;
  /** What is to be said of an attempt that takes too long now. */
  whatIsLate = "";

  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#end.promise.catch(() => {});
    this.#signal = signal;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#end.reject(new Error("too late"));
    }, limitMs);
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
  }

  async within<Result>(work: Promise<Result>, giveUp: () => void = () => {}): Promise<Result> {
    work.catch(() => {});
    try {
      return await Promise.race([work, this.#end.promise]);
    } catch (error) {
      giveUp();
      throw error;
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = () => this.#end.reject(new Error("aborted"));
}

/** Takes the place of a look-up when the connection is made. */
function pinned(address: string) {
  const family = isIP(address);
  return (
    _host: string,
    options: { all?: boolean | undefined },
    callback: (error: null, found: string | { address: string; family: number }[], family?: number) => void,
  ) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function exchange<Outcome>(
  request: ClientRequest,
  body: Buffer,
  judged: (status: number, retryAfter: string | undefined) => Outcome,
): Promise<Outcome> {
  let looking: Timer | undefined;
  return new Promise<Outcome>((resolve, reject) => {
    request.on("error", reject);
    // What comes before a response, such as empty lines, is read by the runtime without a word, however much it is.
    looking = setInterval(() => {
      if ((request.socket?.bytesRead ?? 0) < mostReceivedBytes) return;
      request.destroy(new Refusal("The receiver sent too much."));
    }, lookEveryMs);
    let interim = 0;
    request.on("information", () => {
      if (++interim > mostInterim) request.destroy(new Refusal("The receiver sent too many interim responses (1xx)."));
    });
    request.on("response", (response) => {
      const outcome = judged(response.statusCode ?? 0, response.headers["retry-after"]);
      let received = 0;
      response.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received < mostAnswerBytes) return;
        request.destroy();
        resolve(outcome);
      });
      response.on("end", () => resolve(outcome));
      response.on("close", () => resolve(outcome));
      response.on("error", () => resolve(outcome));
    });
    request.end(body);
  }).finally(() => clearInterval(looking));
}

const mostAnswerBytes = 4_096;
/** Far more than a response may have before its body. */
const mostReceivedBytes = 1024 * 1024;
const lookEveryMs = 50;
/** Of responses before the one that counts, which a receiver could send on and on. */
const mostInterim = 10;

function judge(status: number, retryAfter: string | undefined, now: number): Omit<Attempt, "durationMs"> {
  const isDelivered = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect
    ? `The receiver answered with ${status}, a redirect, which is not followed.`
    : `The receiver answered with ${status}.`;
  return {
    isDelivered,
    isGone: status === 410,
    isUnreached: false,
    status,
    error: isDelivered ? null : error,
    retryAfterMs: isDelivered ? 0 : retryAfterMs(retryAfter, now),
  };
}

/** What the operating system or TLS has said, in a form for people. */
function explain(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const known = reasons[code];
  return known ?? `The receiver could not be reached: ${message}`.slice(0, longestError);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The receiver refused the connection.",
  ECONNRESET: "The receiver closed the connection before it answered.",
  ENOTFOUND: "The host of the receiver has no address.",
  EAI_AGAIN: "The host of the receiver could not be looked up.",
};
const longestError = 300;
