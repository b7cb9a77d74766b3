import { ServiceError } from "../domain/errors.ts";
import type { TimeSpent } from "./store.ts";
import type { WriteMetrics } from "./telemetry.ts";

export type Outcome<Result> = { readonly result: Result } | { readonly error: Error };

/**
 * Writes that come while others are being committed wait here, and are then committed together: the
 * disk is waited for once, however many there are.
 */
export class WriteQueue<Write, Result> {
  readonly #commit: (batch: readonly Write[]) => Promise<readonly Outcome<Result>[]>;
  readonly #metrics: WriteMetrics | undefined;
  readonly #weightOf: (write: Write) => number;
  readonly #waiting: Pending<Write, Result>[] = [];
  #waitingWeight = 0;
  #committingSince: number | undefined;
  #timer: Timer | undefined;
  #whenEmpty: (() => void) | undefined;

  /** `commit` gives an outcome for each write of the batch, in the same order. A write weighs as many as it is worth. */
  constructor(
    commit: (batch: readonly Write[]) => Promise<readonly Outcome<Result>[]>,
    metrics?: WriteMetrics,
    weightOf: (write: Write) => number = () => 1,
  ) {
    this.#commit = commit;
    this.#weightOf = weightOf;
    this.#metrics = metrics;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Returns after the commit. Throws ServiceUnavailable when too many writes are waiting, or this one has waited too long. */
  add(write: Write, time?: TimeSpent): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= maxQueueLength || this.#waitingWeight >= heaviestQueue) {
        throw new ServiceError("ServiceUnavailable", "Too many writes are waiting. Nothing was saved; try again.");
      }
      const now = performance.now();
      // Waiting for a commit that hangs would be in vain.
      if (this.#committingSince !== undefined && now - this.#committingSince > maxWaitMs) throw tooSlow();
      const weight = this.#weightOf(write);
      this.#waiting.push({ write, weight, since: now, time, resolve, reject });
      this.#waitingWeight += weight;
      if (this.#committingSince === undefined) this.#commitWaiting();
    });
  }

  /** Returns once everything that was added has been committed or has failed. */
  async drain(): Promise<void> {
    if (this.#committingSince === undefined) return;
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
  }

  async #commitWaiting(): Promise<void> {
    this.#timer ??= setInterval(() => this.#turnAwayBehindHang(), lookEveryMs);
    this.#committingSince = performance.now();
    for (let patienceMs = maxWaitMs; this.#hasFresh(patienceMs); ) {
      const begunAt = performance.now();
      this.#committingSince = begunAt;
      const batch = this.#waiting.splice(0, this.#nextBatch());
      for (const pending of batch) this.#endWait(pending, begunAt);
      const outcomes = await this.#commit(batch.map(({ write }) => write)).catch(asOutcomeOfAll(batch.length));
      this.#metrics?.observeCommit(batch.length, performance.now() - begunAt);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome && "result" in outcome) resolve(outcome.result);
        else reject(outcome?.error ?? new Error("A write got no outcome."));
      }
      // Behind a batch that failed as a whole, those that have waited already would most likely wait in vain.
      patienceMs = outcomes.every((outcome) => "error" in outcome) ? maxWaitAfterFailureMs : maxWaitMs;
    }
    this.#committingSince = undefined;
    this.#whenEmpty?.();
  }

  /** How many of those that wait are committed next: one at least, and then as long as they are no burden together. */
  #nextBatch(): number {
    let count = 0;
    for (let weight = 0; count < this.#waiting.length && weight < maxBatchSize; count++) {
      weight += this.#waiting[count]?.weight ?? 0;
    }
    return count;
  }

  #endWait({ weight, since, time }: Pending<Write, Result>, now: number): void {
    this.#waitingWeight -= weight;
    this.#metrics?.observeWait(now - since);
    if (time) time.queueMs += now - since;
  }

  /** Those who wait are turned away in time also while the commit before them does not end. */
  #turnAwayBehindHang(): void {
    if (this.#committingSince !== undefined) this.#hasFresh(maxWaitMs);
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** TickQueue away those that have waited for too long. Returns whether any are left. */
  #hasFresh(patienceMs: number): boolean {
    const now = performance.now();
    for (let [first] = this.#waiting; first && first.since < now - patienceMs; [first] = this.#waiting) {
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
const heaviestQueue = 65_536;
const maxBatchSize = 1024;
/** Shorter than a request's deadline, so that nothing is written whose client was told that it failed. */
export const maxWaitMs = 5_000;
const maxWaitAfterFailureMs = 600;
const lookEveryMs = 250;

function tooSlow(): ServiceError {
  return new ServiceError("ServiceUnavailable", "The store is too slow now. Nothing was saved; try again.");
}

function asOutcomeOfAll(count: number): (error: Error) => { readonly error: Error }[] {
  return (error) => Array.from({ length: count }, () => ({ error }));
}
