import { ServiceError } from "../../domain/errors.ts";
import { toServiceError } from "./errors.ts";
import type { FromWriter, Outcome, ToWriter, Write, Writes } from "./writer-worker.ts";

/**
 * The server's side of the writer Worker. Writes that come while the Worker is committing wait, and
 * are then committed together: the disk is waited for once, however many there are.
 */
export class Writer {
  readonly #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  #waiting: Pending[] = [];
  #committing: Pending[] = [];
  #closing: (() => void) | undefined;

  /** `onDeath` is called when the Worker ends without having been asked to: nothing can be written any more. */
  constructor(path: string, onDeath: (reason: string) => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => this.#receive(data);
    this.#worker.onerror = ({ error, message }) => onDeath(error instanceof Error ? error.message : message);
    this.#worker.addEventListener("close", () => {
      if (!this.#closing) onDeath("the thread that writes has ended");
    });
    this.#send({ open: path });
  }

  write<Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
  ): Promise<ReturnType<Writes[Name]>> {
    if (this.#waiting.length >= longestQueue) {
      return Promise.reject(
        new ServiceError("ServiceUnavailable", "Too many writes are waiting. Nothing was saved; try again."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        write: { name, argument } as Write,
        since: performance.now(),
        resolve: resolve as (result: unknown) => void,
        reject,
      });
      if (this.#isIdle) this.#commitWaiting();
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#closing = resolve;
    });
    if (this.#isIdle) this.#send({ close: true });
    await closed;
    this.#worker.terminate();
  }

  get #isIdle(): boolean {
    return this.#committing.length === 0;
  }

  #receive(message: FromWriter): void {
    if ("closed" in message) {
      this.#closing?.();
      return;
    }
    const settled = this.#committing;
    this.#commitWaiting();
    for (const [index, pending] of settled.entries()) settle(pending, message.outcomes[index]);
    if (this.#closing && this.#isIdle) this.#send({ close: true });
  }

  #commitWaiting(): void {
    this.#dropStale();
    this.#committing = this.#waiting.splice(0, largestBatch);
    if (!this.#isIdle) this.#send({ writes: this.#committing.map(({ write }) => write) });
  }

  #dropStale(): void {
    const oldest = performance.now() - longestWait;
    while (this.#waiting[0] && this.#waiting[0].since < oldest) {
      const error = new ServiceError("ServiceUnavailable", "The store is too slow now. Nothing was saved; try again.");
      this.#waiting.shift()?.reject(error);
    }
  }

  #send(message: ToWriter): void {
    this.#worker.postMessage(message);
  }
}

function settle({ resolve, reject }: Pending, outcome: Outcome | undefined): void {
  if (outcome && "result" in outcome) resolve(outcome.result);
  else reject(outcome ? toServiceError(outcome.failure) : new Error("The writer lost an outcome."));
}

interface Pending {
  readonly write: Write;
  readonly since: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const longestQueue = 4096;
const largestBatch = 1024;
/** Shorter than a request's deadline, so that nothing is written whose client was told that it failed. */
const longestWait = 5_000;
