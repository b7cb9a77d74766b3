import { type Awaitable, mapAwaitable } from "../../../base/awaitable.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { type Origin, operator } from "../../../domain/event.ts";
import type { IdempotencyRecord } from "../../../domain/idempotency.ts";
import type { NewPet, Pet } from "../../../domain/pet.ts";
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
import { type Additions, flattenCreation } from "./additions.ts";
import type { FromWriter, ToWriter, Write, WriteOutcome, Writes } from "./writer-worker.ts";

/** The server thread's handle of the writer thread. */
export class Writer {
  readonly #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  readonly #queue: WriteQueue<Write, StoredOutcome>;
  /** Messages whose replies are pending, in the order of their replies. */
  readonly #pending: PendingMessage[] = [];
  readonly #metrics: WriteMetrics;
  #state: "opening" | "open" | "closing" = "opening";
  #death: string | undefined;
  #check: Promise<unknown> | undefined;

  private constructor(readonly parts: WriterParts) {
    const { metrics } = parts.telemetry;
    this.#metrics = new WriteMetrics(metrics);
    this.#queue = new WriteQueue((batch) => this.#commit(batch), this.#metrics, weightOf);
    metrics.watch("gauge", "write_queue_depth", "Number of writes in the queue.", () => this.#queue.length);
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#die(message);
    this.#worker.addEventListener("close", () => this.#die("the writer thread has ended"));
  }

  /** Starts the thread and opens the database. Throws the failure if the database cannot be opened. */
  static async open(parts: WriterParts): Promise<Writer> {
    const writer = new Writer(parts);
    try {
      await writer.#send(parts.openMessage);
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
    { origin = operatorOrigin(), time, record, expiredAt = Number.MIN_SAFE_INTEGER }: WriteContext = {},
  ): Promise<ReturnType<Writes[Name]>> {
    this.parts.faults.requireUndamaged();
    const sent = record && { ...record, onReplay: undefined, expiredAt };
    const write = { name, argument, origin, record: sent } as Write;
    const outcome = await this.#queue.add(write, time);
    if (outcome.isReplay) record?.onReplay();
    else if (name === "createPets") this.#metrics.observeBatch(weightOf(write));
    return requireResult(outcome) as ReturnType<Writes[Name]>;
  }

  /** Throws ServiceUnavailable if the writer thread does not reply, or the store's files are gone. Concurrent callers share one check. */
  requireReady(): Awaitable<void> {
    const [oldest] = this.#pending;
    if (oldest && performance.now() - oldest.since > maxSilenceMs) throw notResponding();
    if (oldest && !this.#check) return;
    return mapAwaitable(withDeadline(maxSilenceMs, this.#sharedCheck(), notResponding), () => {});
  }

  /**
   * Closes the connection and opens it again: a lock that SQLite could not release stays until the process has closed all connections.
   * The caller may retry after an error.
   */
  async reopen(): Promise<void> {
    await this.#send({ close: true });
    await this.#send(this.parts.openMessage);
  }

  /** Runs `findDamage` in the writer thread, and returns its result. */
  findDamage(): Promise<SqliteFailure> {
    return this.#send({ findDamage: this.parts.openMessage.open }).then(() => failedRead, toFailure);
  }

  /** Checks the files after a failure. Returns false if they were removed, replaced or overwritten. */
  async areFilesThere(): Promise<boolean> {
    await this.#sharedCheck().catch(() => {});
    return this.#death === undefined;
  }

  /** Checks the files, and truncates the WAL as far as readers and the disk allow. Throws ServiceUnavailable. */
  async truncateWal(): Promise<void> {
    const truncated = this.#send({ truncateWal: true }).catch((error) => {
      if (!(error instanceof ReportedFailure)) throw error;
      this.parts.onFailure(error.failure);
    });
    await withDeadline(maxSilenceMs, truncated, notResponding);
  }

  /** Finishes the waiting writes, closes the connection and ends the thread, however long the disk takes. */
  async close(): Promise<void> {
    await this.#queue.drain();
    this.#state = "closing";
    await this.#send({ close: true }).catch(() => {});
    // After a failure, the thread is left running: at its end, it would checkpoint the WAL into a file that an operator may have replaced.
    if (this.#death === undefined) this.#worker.terminate();
  }

  async #commit(batch: readonly Write[]): Promise<Outcome<StoredOutcome>[]> {
    const startedAt = performance.now();
    const outcomes = await this.#send({ writes: pack(batch) }).finally(() => {
      const names = () => [...new Set(batch.map(nameOf))].join(", ");
      logIfSlow(this.parts.telemetry, names, performance.now() - startedAt, { writes: batch.length });
    });
    return unpack(batch, outcomes).map((outcome) => {
      if (!("failure" in outcome)) return { result: outcome };
      this.parts.onFailure(outcome.failure);
      return { error: toWriteError(outcome.failure) };
    });
  }

  #sharedCheck(): Promise<unknown> {
    this.#check ??= this.#send({ check: true }).finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  #send(message: ToWriter): Promise<readonly WriteOutcome[]> {
    if (this.#death !== undefined) {
      return Promise.reject(new ServiceError("ServiceUnavailable", cannotWriteText, this.#death));
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ since: performance.now(), resolve, reject });
      this.#worker.postMessage(message);
    });
  }

  #receive(data: FromWriter): void {
    if ("fault" in data) this.#die(data.fault);
    else if ("failure" in data) this.#pending.shift()?.reject(new ReportedFailure(data.failure));
    else {
      if (data.outcomes.length > 0) this.parts.onCommit();
      this.#pending.shift()?.resolve(data.outcomes);
    }
  }

  #die(reason: string): void {
    if (this.#death !== undefined) return;
    this.#death = reason;
    for (const { reject } of this.#pending.splice(0)) {
      reject(new ServiceError("ServiceUnavailable", unknownOutcomeText, reason));
    }
    if (this.#state === "open") this.parts.onDeath(reason);
  }
}

/** The recorded actor of a write, and its idempotency record. */
export interface WriteContext {
  readonly origin?: Origin | undefined;
  readonly time?: TimeSpent | undefined;
  readonly record?: IdempotencyRecord;
  /** The time up to which earlier records have expired. */
  readonly expiredAt?: number;
}

interface WriterParts {
  readonly openMessage: Extract<ToWriter, { readonly open: string }>;
  readonly faults: { requireUndamaged(): void };
  readonly telemetry: StoreTelemetry;
  /** Called when the thread has ended unexpectedly or must not write again, so that the program has to be restarted. */
  onDeath(reason: string): void;
  /** Called after a commit, before its writes are acknowledged. */
  onCommit(): void;
  onFailure(failure: SqliteFailure): void;
}

interface PendingMessage {
  readonly since: number;
  resolve(outcomes: readonly WriteOutcome[]): void;
  reject(error: Error): void;
}

/** Joins consecutive creations that have no idempotency record. */
function pack(batch: readonly Write[]): (Write | Additions)[] {
  const packed: (Write | Additions)[] = [];
  let additions: Additions["additions"][number][] | undefined;
  for (const write of batch) {
    if (write.name !== "createPet" || write.record) {
      packed.push(write);
      additions = undefined;
      continue;
    }
    if (!additions) {
      additions = [];
      packed.push({ additions });
    }
    additions.push(...flattenCreation(write.argument, write.origin));
  }
  return packed;
}

/** Returns the outcome of each write of a packed batch. */
function unpack(batch: readonly Write[], outcomes: readonly WriteOutcome[]): (StoredOutcome | Failure)[] {
  const unpacked: (StoredOutcome | Failure)[] = [];
  for (const outcome of outcomes) {
    if (!("firstId" in outcome)) {
      unpacked.push(outcome);
      continue;
    }
    for (let index = 0; index < outcome.count; index++) {
      const pet = (batch[unpacked.length] as Write).argument as NewPet;
      const result: Pet = { id: outcome.firstId + index, ...pet };
      unpacked.push({ result });
    }
  }
  return unpacked;
}

function nameOf(write: Write): string {
  return write.name === "shared" ? write.argument.slice(0, 2).join(".") : write.name;
}

/** Returns the number of animals that a write creates, or 1 for any other write. */
function weightOf(write: Write): number {
  return write.name === "createPets" ? petCountOf(write.argument) : 1;
}

/** Exceeds SQLite's timeout for locks, so any longer silence means that the thread hangs. */
export const maxSilenceMs = 7_000;

function operatorOrigin(): Origin {
  return { actor: operator, request: null, at: Date.now() };
}

function notResponding(): ServiceError {
  return new ServiceError("ServiceUnavailable", "The store is not responding.", "the writer thread does not respond");
}
