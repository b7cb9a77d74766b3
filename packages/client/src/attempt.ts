import { AnimalStoreError, ConnectionError, InvalidResponseError, TimeoutError } from "./errors.ts";

/** One request to the service, with a time limit. The caller's signal can abort the request. */
export class Attempt {
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #stop = () => this.#controller.abort(this.#callerSignal?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timeoutMs = 0;
  #isTimedOut = false;
  /** True once the reader of the response has to end the attempt. */
  isHandedOver = false;

  constructor(callerSignal: AbortSignal | undefined, limitMs: number) {
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted) this.#stop();
    else callerSignal?.addEventListener("abort", this.#stop, { once: true });
    this.restart(limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timeoutMs = Math.round(limitMs);
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#controller.abort();
    }, limitTimerMs(limitMs));
  }

  /** Lifts the time limit until the next restart. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  handOver(): void {
    this.isHandedOver = true;
    this.pause();
  }

  /** Ends the attempt. If the response was not read to its end, its connection is closed. */
  end(): void {
    this.pause();
    this.#callerSignal?.removeEventListener("abort", this.#stop);
    if (this.isHandedOver) this.#controller.abort();
  }

  /** Converts an error of the platform's `fetch` to one of the client, or to the signal's reason if the caller aborted. */
  convertError(error: unknown): unknown {
    if (this.#callerSignal?.aborted) return this.#callerSignal.reason;
    if (this.#isTimedOut) return new TimeoutError(`The response did not arrive within ${this.#timeoutMs} ms.`);
    if (error instanceof AnimalStoreError) return error;
    if (error instanceof SyntaxError) return new InvalidResponseError({ cause: error });
    const message = `The service could not be reached, or the connection broke: ${findReason(error)}`;
    return new ConnectionError(message, { cause: error });
  }
}

/** Returns the pieces of a text as they arrive. The attempt ends with the text, or if no piece arrives for `maxPauseMs`. */
export async function openText(
  response: Response,
  attempt: Attempt,
  mediaType: string,
  maxPauseMs: number,
): Promise<AsyncGenerator<string>> {
  if (!response.headers.get("Content-Type")?.startsWith(mediaType)) {
    await response.body?.cancel();
    throw new InvalidResponseError();
  }
  attempt.handOver();
  return readText(response, attempt, maxPauseMs);
}

async function* readText(response: Response, attempt: Attempt, maxPauseMs: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      attempt.restart(maxPauseMs);
      const piece = await reader?.read();
      attempt.pause();
      if (!piece || piece.done) return;
      yield decoder.decode(piece.value, { stream: true });
    }
  } catch (error) {
    throw attempt.convertError(error);
  } finally {
    attempt.end();
  }
}

/** Returns the message of the innermost cause, because Node's own error only says "fetch failed". If several addresses failed, takes the first. */
function findReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (cause !== undefined) return findReason(cause);
  // Bun's hint is for programs that call fetch() themselves.
  return error.message.replace(/ For more information, pass `verbose: true`.*$/s, "");
}

/** Limits a duration, because timers treat more than 2^31 - 1 ms, such as Infinity, as 0. */
function limitTimerMs(durationMs: number): number {
  return Math.min(Math.max(0, Math.round(durationMs)), 2 ** 31 - 1);
}

export function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, limitTimerMs(durationMs));
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
