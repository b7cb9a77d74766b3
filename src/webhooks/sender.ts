import { createHmac } from "node:crypto";
import type { ClientRequest } from "node:http";
import { isIP } from "node:net";
import type { Clock, Stopwatch } from "../base/clock.ts";
import { hostOf } from "../base/network.ts";
import { parseRetryAfterMs } from "../base/retry-after.ts";
import { secretPrefix, type Webhook } from "../domain/webhook.ts";
import type { AddressGuard } from "./address-guard.ts";
import { resolveName } from "./resolve-name.ts";

export interface Attempt {
  readonly isDelivered: boolean;
  /** True if the receiver wants no further events. */
  readonly isGone: boolean;
  /** True if no connection was made, so that nothing can have been received. */
  readonly isUnreached: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly retryAfterMs: number;
}

export interface SentEvent {
  readonly id: string;
  readonly body: string;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

export interface SenderParts {
  readonly guard: AddressGuard;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly resolve?: Resolve | undefined;
  /** A certificate authority to trust besides the public ones. */
  readonly ca?: string | undefined;
}

/** Connects to the address that was checked, because another look-up could return another address. Uses no proxies. */
export class Sender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Throws only if the signal is aborted. */
  async send(
    url: string,
    secrets: readonly string[],
    event: SentEvent,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<Attempt> {
    signal?.throwIfAborted();
    const { stopwatch } = this.#parts;
    const startedAt = stopwatch();
    const { promise: end, reject } = Promise.withResolvers<never>();
    const limit = { end, timeoutProblem: "" };
    const onTimeout = () => reject(new Refusal(`${limit.timeoutProblem} within ${limitMs / 1000} seconds.`));
    const timer = setTimeout(onTimeout, limitMs);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    const outcome = await this.#attempt(new URL(url), secrets, event, limit)
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        return toFailedOutcome(error);
      })
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      });
    return { ...outcome, durationMs: Math.max(0, Math.round(stopwatch() - startedAt)) };
  }

  async #attempt(url: URL, secrets: readonly string[], { id, body }: SentEvent, limit: Limit): Promise<Outcome> {
    const { clock, ca } = this.#parts;
    limit.timeoutProblem = "The host of the receiver could not be looked up";
    const address = await Promise.race([this.#requireAddress(url), limit.end]);
    limit.timeoutProblem = "The receiver did not answer";
    const bytes = Buffer.from(body);
    const options = {
      method: "POST",
      host: hostOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      agent: false as const,
      lookup: createFixedLookup(address),
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "animal-store",
        ...createSignedHeaders(secrets, id, clock(), body),
      },
    };
    // Imported on first use, because it would delay the start.
    const request =
      url.protocol === "https:"
        ? (await import("node:https")).request({ ...options, ...(ca && { ca }) })
        : (await import("node:http")).request(options);
    let outcome: Outcome | undefined;
    const onResponse = (status: number, retryAfter: string | undefined) => {
      outcome = createOutcome(status, retryAfter, clock());
      return outcome;
    };
    try {
      return await Promise.race([sendRequest(request, bytes, onResponse), limit.end]);
    } catch (error) {
      request.destroy();
      // The status decides the outcome, even if the rest of the response never arrives.
      if (outcome) return outcome;
      throw error;
    }
  }

  async #requireAddress(url: URL): Promise<string> {
    const { guard, resolve = resolveName } = this.#parts;
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await resolve(host);
    const refusedAddress = addresses.find((address) => !guard.isAllowed(address));
    if (refusedAddress !== undefined) {
      throw new Refusal(`${host} has the address ${refusedAddress}, to which webhooks are not sent.`);
    }
    // IPv4 first: a name may have IPv6 addresses although this machine cannot reach IPv6 addresses.
    const [address] = addresses.toSorted((one, other) => isIP(one) - isIP(other));
    if (address === undefined) throw new Refusal(`${host} has no address.`);
    if (url.protocol !== "https:" && !guard.isInAllowedNetwork(address)) {
      throw new Refusal(`${host} must be reached over HTTPS.`);
    }
    return address;
  }
}

/** An error whose message is shown to users. */
class Refusal extends Error {}

type Outcome = Omit<Attempt, "durationMs">;

interface Limit {
  /** Rejects at the time limit or when the attempt is aborted. */
  readonly end: Promise<never>;
  /** Start of the error message if the time limit passes, such as "The receiver did not answer". */
  timeoutProblem: string;
}

function createFixedLookup(address: string) {
  const family = isIP(address);
  return (
    _host: string,
    options: { all?: boolean | undefined },
    callback: (error: null, addresses: string | { address: string; family: number }[], family?: number) => void,
  ) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

/** Resolves at the end of the response, or once `maxBodyBytes` of its body were received. */
function sendRequest(
  request: ClientRequest,
  body: Buffer,
  onResponse: (status: number, retryAfter: string | undefined) => Outcome,
): Promise<Outcome> {
  let check: Timer | undefined;
  return new Promise<Outcome>((resolve, reject) => {
    request.on("error", reject);
    // Before a response, the runtime reads interim responses and empty lines without a limit.
    check = setInterval(() => {
      if ((request.socket?.bytesRead ?? 0) < maxSocketBytes) return;
      request.destroy(new Refusal("The receiver sent too much."));
    }, checkIntervalMs);
    request.on("response", (response) => {
      const outcome = onResponse(response.statusCode ?? 0, response.headers["retry-after"]);
      let bodyBytes = 0;
      response.on("data", (chunk: Buffer) => {
        bodyBytes += chunk.length;
        if (bodyBytes < maxBodyBytes) return;
        request.destroy();
        resolve(outcome);
      });
      for (const event of ["end", "close", "error"]) response.on(event, () => resolve(outcome));
    });
    request.end(body);
  }).finally(() => clearInterval(check));
}

const maxBodyBytes = 4_096;
const maxSocketBytes = 1024 * 1024;
const checkIntervalMs = 50;

function createOutcome(status: number, retryAfter: string | undefined, now: number): Outcome {
  const isDelivered = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  const hint = isRedirect ? ", a redirect, which is not followed" : "";
  const error = isDelivered ? null : `The receiver answered with ${status}${hint}.`;
  const retryAfterMs = isDelivered ? 0 : parseRetryAfterMs(retryAfter, now);
  return { isDelivered, isGone: status === 410, isUnreached: false, status, error, retryAfterMs };
}

function toFailedOutcome(cause: unknown): Outcome {
  const { code = "", message, syscall } = cause as NodeJS.ErrnoException;
  const knownMessage = cause instanceof Refusal ? message : messagesByCode[code];
  const error = knownMessage ?? `The receiver could not be reached: ${message}`.slice(0, maxErrorLength);
  const isUnreached = syscall === "connect";
  return { isDelivered: false, isGone: false, isUnreached, status: null, error, retryAfterMs: 0 };
}

const messagesByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The receiver refused the connection.",
  ECONNRESET: "The receiver closed the connection before it answered.",
  ENOTFOUND: "The host of the receiver has no address.",
  EAI_AGAIN: "The host of the receiver could not be looked up.",
};
const maxErrorLength = 300;

/** Returns the current secret, and during a rotation also the previous one. */
export function selectSigningSecrets(
  { retiresAt }: Webhook,
  secrets: readonly string[],
  now: number,
): readonly string[] {
  return retiresAt !== null && now < retiresAt ? secrets : secrets.slice(0, 1);
}

/** Returns the headers that identify and sign an event (Standard Webhooks 1.0). */
function createSignedHeaders(secrets: readonly string[], eventId: string, at: number, body: string) {
  const timestamp = String(Math.floor(at / 1000));
  const sign = (secret: string) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`;
  };
  const signature = secrets.map(sign).join(" ");
  return { "webhook-id": eventId, "webhook-timestamp": timestamp, "webhook-signature": signature };
}
