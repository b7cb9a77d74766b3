import { type Awaitable, mapAwaitable } from "../../../base/awaitable.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { type Origin, operator } from "../../../domain/event.ts";
import type { IdempotencyRecord } from "../../../domain/idempotency.ts";
import type { StoreTelemetry, TimeSpent } from "../../store.ts";
import { requireResult, type StoredOutcome } from "../../stored-outcome.ts";
import { logIfSlow, WriteMetrics } from "../../telemetry.ts";
import { type Outcome, WriteQueue } from "../../write-queue.ts";
import {
  cannotWriteText,
  type Failure,
  failedRead,
  ReportedFailure,
  type SqliteFailure,
  toFailure,
  toWriteError,
  unknownOutcomeText,
} from "../errors.ts";
import { petCountOf } from "../pets.ts";
import type { Added } from "./additions.ts";
import { pack, unpack } from "./packing.ts";
import type { FromWriter, ToWriter, Write, Writes } from "./writer-worker.ts";

export class Writer {
  readonly #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  readonly #queue: WriteQueue<Write, StoredOutcome>;
  /** In the order of the messages, which is that of the replies. */
  readonly #asked: Asked[] = [];
  readonly #parts: WriterParts;
  readonly #metrics: WriteMetrics;
  #state: "opening" | "open" | "closing" = "opening";
  #death: string | undefined;
  #check: Promise<unknown> | undefined;

  private constructor(parts: WriterParts) {
    const { watch } = parts;
    this.#parts = parts;
    this.#metrics = new WriteMetrics(watch.metrics);
    this.#queue = new WriteQueue((batch) => this.#commit(batch), this.#metrics, animalsIn);
    watch.metrics.watch("gauge", "write_queue_depth", "Writes that wait for their turn.", () => this.#queue.length);
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#die(message);
    this.#worker.addEventListener("close", () => this.#die("the thread that writes has ended"));
  }

  /** Throws the failure if the database cannot be opened. */
  static async open(parts: WriterParts): Promise<Writer> {
    const writer = new Writer(parts);
    try {
      await writer.#ask(parts.openMessage);
    } catch (error) {
      writer.#worker.terminate();
      throw error;
    }
    writer.#state = "open";
    return writer;
  }

  async write<Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
    { origin = byOperator(), time, record, expiredAt = Number.MIN_SAFE_INTEGER }: WriteContext = {},
  ): Promise<ReturnType<Writes[Name]>> {
    this.#parts.faults.refuseWrites();
    const sent = record && { ...record, onReplay: undefined, expiredAt };
    const outcome = await this.#queue.add({ name, argument, origin, record: sent } as Write, time);
    if (outcome.isReplay) record?.onReplay();
    else if (name === "createPets") this.#metrics.observeBatch(animalsIn({ name, argument } as Write));
    return requireResult(outcome) as ReturnType<Writes[Name]>;
  }

  /** Throws ServiceUnavailable if the Worker does not respond, or its files are gone. Concurrent callers share one check. */
  ready(): Awaitable<void> {
    const [oldest] = this.#asked;
    if (oldest && performance.now() - oldest.since > maxSilenceMs) throw silent();
    if (oldest && !this.#check) return;
    return mapAwaitable(withDeadline(maxSilenceMs, this.#sharedCheck(), silent), () => {});
  }

  /**
   * Closes the connection and opens it again: SQLite keeps a lock that it could not release until the process has closed all connections.
   * Throws if that fails now; it can be repeated.
   */
  async reopen(): Promise<void> {
    await this.#ask({ close: true });
    await this.#ask(this.#parts.openMessage);
  }

  /** Returns the result of `findDamage` in the writer thread. */
  findDamage(): Promise<SqliteFailure> {
    return this.#ask({ findDamage: this.#parts.openMessage.open }).then(() => failedRead, toFailure);
  }

  /** Checks the files after a failure. Returns false if they are no longer those of the store. */
  async areFilesThere(): Promise<boolean> {
    await this.#sharedCheck().catch(() => {});
    return this.#death === undefined;
  }

  /** Checks the files, and truncates the WAL as far as readers and the disk allow. Throws ServiceUnavailable. */
  async truncateWal(): Promise<void> {
    const emptied = this.#ask({ emptyLog: true }).catch((error) => {
      if (!(error instanceof ReportedFailure)) throw error;
      this.#parts.onFailure(error.failure);
    });
    await withDeadline(maxSilenceMs, emptied, silent);
  }

  /** May take as long as the disk does. */
  async close(): Promise<void> {
    await this.#queue.drain();
    this.#state = "closing";
    await this.#ask({ close: true }).catch(() => {});
    // Ending the thread checkpoints the WAL into the file, which may no longer be its own.
    if (this.#death === undefined) this.#worker.terminate();
  }

  async #commit(batch: readonly Write[]): Promise<Outcome<StoredOutcome>[]> {
    const askedAt = performance.now();
    const answers = await this.#ask({ writes: pack(batch) }).finally(() => {
      const names = () => [...new Set(batch.map(nameOf))].join(", ");
      logIfSlow(this.#parts.watch, names, performance.now() - askedAt, { writes: batch.length });
    });
    return unpack(batch, answers).map((answer) => {
      if (!("failure" in answer)) return { result: answer };
      this.#parts.onFailure(answer.failure);
      return { error: toWriteError(answer.failure) };
    });
  }

  #sharedCheck(): Promise<unknown> {
    this.#check ??= this.#ask({ check: true }).finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  #ask(message: ToWriter): Promise<readonly Answer[]> {
    if (this.#death !== undefined) {
      return Promise.reject(new ServiceError("ServiceUnavailable", cannotWriteText, this.#death));
    }
    return new Promise((resolve, reject) => {
      this.#asked.push({ since: performance.now(), resolve, reject });
      this.#worker.postMessage(message);
    });
  }

  #receive(data: FromWriter): void {
    if ("fault" in data) this.#die(data.fault);
    else if ("failure" in data) this.#asked.shift()?.reject(new ReportedFailure(data.failure));
    else {
      if (data.outcomes.length > 0) this.#parts.onCommit();
      this.#asked.shift()?.resolve(data.outcomes);
    }
  }

  #die(reason: string): void {
    if (this.#death !== undefined) return;
    this.#death = reason;
    for (const { reject } of this.#asked.splice(0)) {
      reject(new ServiceError("ServiceUnavailable", unknownOutcomeText, reason));
    }
    if (this.#state === "open") this.#parts.onDeath(reason);
  }
}

/** The actor that is recorded for a write, and the record under which it is made. */
export interface WriteContext {
  readonly origin?: Origin | undefined;
  readonly time?: TimeSpent | undefined;
  readonly record?: IdempotencyRecord;
  /** The time up to which earlier claims have expired. */
  readonly expiredAt?: number;
}

interface WriterParts {
  readonly openMessage: Extract<ToWriter, { readonly open: string }>;
  readonly faults: { refuseWrites(): void };
  readonly watch: StoreTelemetry;
  /** The thread has ended unexpectedly, or must not write again. Only a restart of the program helps. */
  onDeath(reason: string): void;
  /** A commit that was not acknowledged yet. */
  onCommit(): void;
  onFailure(failure: SqliteFailure): void;
}

type Answer = StoredOutcome | Added | Failure;

interface Asked {
  readonly since: number;
  resolve(answers: readonly Answer[]): void;
  reject(error: Error): void;
}

function nameOf(write: Write): string {
  return write.name === "shared" ? write.argument.slice(0, 2).join(".") : write.name;
}

/** Returns the weight of a write: its number of animals, or 1. */
function animalsIn(write: Write): number {
  return write.name === "createPets" ? petCountOf(write.argument) : 1;
}

/** Longer than SQLite waits for a lock, so that a longer silence means that the thread hangs. */
export const maxSilenceMs = 7_000;

function byOperator(): Origin {
  return { actor: operator, request: null, at: Date.now() };
}

function silent(): ServiceError {
  return new ServiceError(
    "ServiceUnavailable",
    "The store is not responding.",
    "the thread that writes does not answer",
  );
}
