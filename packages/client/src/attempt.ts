import { AnimalStoreError, ConnectionError, InvalidResponseError, TimeoutError } from "./errors.ts";

/** One request to the service, which ends when the caller aborts it or its time is over. */
export class Attempt {
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #stop = () => this.#controller.abort(this.#callerSignal?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTimedOut = false;
  #statedMs = 0;
  /** True if the reader of the response ends the attempt. */
  isKept = false;

  /** `statedMs` is the limit that the caller has set, for the error message. `limitMs` may be shorter. */
  constructor(callerSignal: AbortSignal | undefined, limitMs: number, statedMs: number) {
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted) this.#stop();
    else callerSignal?.addEventListener("abort", this.#stop, { once: true });
    this.restart(limitMs, statedMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the time limit. */
  restart(limitMs: number, statedMs = limitMs): void {
    clearTimeout(this.#timer);
    this.#statedMs = statedMs;
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#controller.abort();
    }, timerMs(limitMs));
  }

  /** Lifts the time limit until the next restart. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Leaves it to the reader of the response to end the attempt. */
  keep(): void {
    this.isKept = true;
    this.pause();
  }

  /** Ends the attempt, and with it the connection if the response was not read to its end. */
  end(): void {
    this.pause();
    this.#callerSignal?.removeEventListener("abort", this.#stop);
    if (this.isKept) this.#controller.abort();
  }

  /** Converts an error of the platform to an error of the client. */
  explain(error: unknown): unknown {
    if (this.#callerSignal?.aborted) return this.#callerSignal.reason;
    if (this.#isTimedOut) return new TimeoutError(`The response did not arrive within ${this.#statedMs} ms.`);
    if (error instanceof AnimalStoreError) return error;
    if (error instanceof SyntaxError) return new InvalidResponseError({ cause: error });
    const message = `The service could not be reached, or the connection broke: ${reasonOf(error)}`;
    return new ConnectionError(message, { cause: error });
  }
}

/**
 * Returns the text of a response as it arrives. The attempt ends with the text, or when nothing has arrived for too long; the time that
 * the reader takes does not count. Throws InvalidResponseError if the response has another media type.
 */
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
  attempt.keep();
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
    throw attempt.explain(error);
  } finally {
    attempt.end();
  }
}

/** Returns the message of the innermost cause: Node's own error only says "fetch failed". A host with several addresses has several causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (cause !== undefined) return reasonOf(cause);
  // Bun adds a hint for programmers who call fetch() themselves.
  return error.message.replace(/ For more information, pass `verbose: true`.*$/s, "");
}

/** Bounds a duration to what timers accept: they treat a longer one, such as Infinity, as 0. */
function timerMs(durationMs: number): number {
  return Math.min(Math.max(0, Math.round(durationMs)), 2 ** 31 - 1);
}

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
