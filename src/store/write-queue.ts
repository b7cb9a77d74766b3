import { ServiceError } from "../domain/errors.ts";
import type { TimeSpent } from "./store.ts";
import type { WriteMetrics } from "./telemetry.ts";

export type Outcome<Result> = { readonly result: Result } | { readonly error: Error };

type Commit<Write, Result> = (batch: readonly Write[]) => Promise<readonly Outcome<Result>[]>;

/** Group commit: the writes that arrive during a commit are committed together by the next one. */
export class WriteQueue<Write, Result> {
  readonly #waiting: Pending<Write, Result>[] = [];
  #waitingWeight = 0;
  #commitStartedAt: number | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(
    readonly commit: Commit<Write, Result>,
    readonly metrics?: WriteMetrics,
    readonly weightOf: (write: Write) => number = () => 1,
  ) {}

  get length(): number {
    return this.#waiting.length;
  }

  /** Returns the result after the commit. Throws ServiceUnavailable if the queue is full, or the write has waited too long. */
  add(write: Write, time?: TimeSpent): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= maxQueueLength || this.#waitingWeight >= maxQueueWeight) {
        throw new ServiceError("ServiceUnavailable", "Too many writes are waiting. Nothing was saved; try again.");
      }
      const now = performance.now();
      // A write behind a commit that hangs would time out anyway.
      if (this.#commitStartedAt !== undefined && now - this.#commitStartedAt > maxWaitMs) throw tooSlow();
      const weight = this.weightOf(write);
      this.#waiting.push({ write, weight, since: now, time, resolve, reject });
      this.#waitingWeight += weight;
      if (this.#commitStartedAt === undefined) this.#commitWaiting();
    });
  }

  async drain(): Promise<void> {
    if (this.#commitStartedAt === undefined) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  async #commitWaiting(): Promise<void> {
    // Rejects writes in time even while a commit hangs.
    const timer = setInterval(() => this.#rejectOverdue(), checkIntervalMs);
    while (this.#rejectOverdue()) {
      const startedAt = performance.now();
      this.#commitStartedAt = startedAt;
      const batch = this.#waiting.splice(0, this.#nextBatchLength());
      for (const pending of batch) this.#endWait(pending, startedAt);
      const outcomes = await this.commit(batch.map(({ write }) => write)).catch((error) =>
        batch.map(() => ({ error })),
      );
      this.metrics?.observeCommit(batch.length, performance.now() - startedAt);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome && "result" in outcome) resolve(outcome.result);
        else reject(outcome?.error ?? new Error("A write got no outcome."));
      }
    }
    clearInterval(timer);
    this.#commitStartedAt = undefined;
    this.#onEmpty?.();
  }

  /** Returns the number of writes for the next commit: at least one, even if its weight alone exceeds that of a batch. */
  #nextBatchLength(): number {
    let count = 0;
    for (let weight = 0; count < this.#waiting.length && weight < maxBatchWeight; count++) {
      weight += this.#waiting[count]?.weight ?? 0;
    }
    return count;
  }

  #endWait({ weight, since, time }: Pending<Write, Result>, now: number): void {
    this.#waitingWeight -= weight;
    this.metrics?.waitSeconds.observe((now - since) / 1000);
    if (time) time.queueMs += now - since;
  }

  /** Rejects the writes that have waited too long. Returns true if any others are left. */
  #rejectOverdue(): boolean {
    const now = performance.now();
    for (let [first] = this.#waiting; first && first.since < now - maxWaitMs; [first] = this.#waiting) {
      this.#waiting.shift();
      this.#endWait(first, now);
      first.reject(tooSlow());
    }
    return this.#waiting.length > 0;
  }
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly weight: number;
  readonly since: number;
  readonly time: TimeSpent | undefined;
  resolve(result: Result): void;
  reject(error: Error): void;
}

const maxQueueLength = 4096;
const maxQueueWeight = 65_536;
const maxBatchWeight = 1024;
/** Shorter than a request's deadline, so that no write is carried out after its client was told that it failed. */
export const maxWaitMs = 5_000;
const checkIntervalMs = 250;

function tooSlow(): ServiceError {
  return new ServiceError("ServiceUnavailable", "The store is too slow now. Nothing was saved; try again.");
}
