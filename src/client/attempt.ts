import { AnimalStoreError, ConnectionError, InvalidResponseError, notOfTheService, TimeoutError } from "./errors.ts";

/** One request to the service, which ends when its caller has had enough or when its time is over. */
export class Attempt {
  readonly #caller: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #stop = () => this.#controller.abort(this.#caller?.reason);
  #isKept = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTimedOut = false;
  #statedMs = 0;

  /** `statedMs` is what its caller knows of as the limit, of which there may be less left. */
  constructor(caller: AbortSignal | undefined, limitMs: number, statedMs: number) {
    this.#caller = caller;
    if (caller?.aborted) this.#stop();
    else caller?.addEventListener("abort", this.#stop, { once: true });
    this.restart(limitMs, statedMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives it so much time from now. */
  restart(limitMs: number, statedMs = limitMs): void {
    clearTimeout(this.#timer);
    this.#statedMs = statedMs;
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#controller.abort();
    }, timerMs(limitMs));
  }

  /** Lets it take any time, until it is restarted. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Leaves it to whoever reads the answer to end it, some time later. */
  keep(): void {
    this.#isKept = true;
    this.pause();
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** Ends it, and with it the connection if the answer was not read to its end. */
  end(): void {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#stop);
    if (this.#isKept) this.#controller.abort();
  }

  /** What to tell the caller about an error of the platform: each has its own words for the same. */
  explain(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#isTimedOut) return new TimeoutError(`The answer did not arrive within ${this.#statedMs} ms.`);
    if (error instanceof AnimalStoreError) return error;
    if (error instanceof SyntaxError) {
      return new InvalidResponseError(notOfTheService, { cause: error });
    }
    const message = `The service could not be reached, or the connection broke: ${reasonOf(error)}`;
    return new ConnectionError(message, { cause: error });
  }
}

/** Node only says "fetch failed", and gives the reason as the cause; it is several if a name has several addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (cause !== undefined) return reasonOf(cause);
  // Bun adds a hint for programmers who call fetch() themselves.
  return error.message.replace(/ For more information, pass `verbose: true`.*$/s, "");
}

/** A duration that timers can take: a longer one, such as Infinity, they would take for none. */
export function timerMs(durationMs: number): number {
  return Math.min(Math.max(0, Math.round(durationMs)), 2 ** 31 - 1);
}
