import type { Awaitable } from "../../../base/awaitable.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { type Origin, operator } from "../../../domain/event.ts";
import type { IdempotencyRecord } from "../../../domain/idempotency.ts";
import type { NewPet } from "../../../domain/pet.ts";
import type { StoreTelemetry, TimeSpent } from "../../store.ts";
import { requireResult, type StoredOutcome } from "../../stored-outcome.ts";
import { logIfSlow, WriteMetrics } from "../../telemetry.ts";
import { type Outcome, WriteQueue } from "../../write-queue.ts";
import {
  cannotWriteText,
  type Failure,
  ReportedFailure,
  type SqliteFailure,
  toFailure,
  toWriteError,
  unknownOutcomeText,
} from "../errors.ts";
import { petCountOf } from "../pets.ts";
import { type Additions, flattenCreation } from "./additions.ts";
import type { OpenOptions, Tasks, Write, WriteOutcome, WriterReply, WriterRequest, Writes } from "./writer-worker.ts";

export class Writer {
  readonly #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  readonly #queue: WriteQueue<Write, StoredOutcome>;
  readonly #pending: PendingRequest[] = [];
  readonly #metrics: WriteMetrics;
  #state: "opening" | "open" | "closing" = "opening";
  #death: string | undefined;
  #check: Promise<void> | undefined;

  private constructor(readonly parts: WriterParts) {
    const { metrics } = parts.telemetry;
    this.#metrics = new WriteMetrics(metrics);
    this.#queue = new WriteQueue((batch) => this.#commit(batch), this.#metrics, weightOf);
    metrics.watch("gauge", "write_queue_depth", "Number of writes in the queue.", () => this.#queue.length);
    this.#worker.onmessage = ({ data }: MessageEvent<WriterReply>) => {
      const oldest = this.#pending.shift();
      if ("result" in data) oldest?.resolve(data.result);
      else if ("failure" in data) oldest?.reject(new ReportedFailure(data.failure));
      else {
        // The thread has changed nothing for this request.
        oldest?.reject(new ServiceError("ServiceUnavailable", cannotWriteText, data.fault));
        this.#die(data.fault);
      }
    };
    this.#worker.onerror = ({ message }) => this.#die(message);
    this.#worker.addEventListener("close", () => this.#die("the writer thread has ended"));
  }

  static async open(parts: WriterParts): Promise<Writer> {
    const writer = new Writer(parts);
    await writer.#request("open", parts.openOptions).catch((error) => {
      writer.#worker.terminate();
      throw error;
    });
    writer.#state = "open";
    return writer;
  }

  async write<Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
    { origin = { actor: operator, request: null, at: Date.now() }, time, record, expiryCutoff }: WriteContext = {},
  ): Promise<ReturnType<Writes[Name]>> {
    this.parts.faults.requireUndamaged();
    const sent = record && { ...record, onReplay: undefined, expiryCutoff };
    const write = { name, argument, origin, record: sent } as Write;
    const outcome = await this.#queue.add(write, time);
    if (outcome.isReplay) record?.onReplay();
    else if (name === "createPets") this.#metrics.batchAnimals.observe(weightOf(write));
    return requireResult(outcome) as ReturnType<Writes[Name]>;
  }

  /** Throws ServiceUnavailable if the writer thread does not reply, or the store's files are gone. */
  requireReady(): Awaitable<void> {
    const [oldest] = this.#pending;
    if (oldest && performance.now() - oldest.since > maxSilenceMs) throw notResponding();
    if (oldest && !this.#check) return;
    return withDeadline(maxSilenceMs, this.#sharedCheck(), notResponding);
  }

  async reopen(): Promise<void> {
    await this.#request("close");
    await this.#request("open", this.parts.openOptions);
  }

  findDamage(): Promise<SqliteFailure> {
    return this.#request("findDamage", this.parts.openOptions.path).catch(toFailure);
  }

  /** Checks the files after a failure. Returns false if they were removed, replaced or overwritten. */
  async areFilesThere(): Promise<boolean> {
    await this.#sharedCheck().catch(() => {});
    return this.#death === undefined;
  }

  /** Checks the files, and truncates the WAL as far as readers and the disk allow. Throws ServiceUnavailable. */
  async truncateWal(): Promise<void> {
    const truncated = this.#request("truncateWal").catch((error) => {
      if (!(error instanceof ReportedFailure)) throw error;
      this.parts.onFailure(error.failure);
    });
    await withDeadline(maxSilenceMs, truncated, notResponding);
  }

  /** Finishes the waiting writes, closes the connection and ends the thread, however long the disk takes. */
  async close(): Promise<void> {
    await this.#queue.drain();
    this.#state = "closing";
    await this.#request("close").catch(() => {});
    // After a failure, the thread is left running: at its end, it would checkpoint the WAL into a file that an operator may have replaced.
    if (this.#death === undefined) this.#worker.terminate();
  }

  async #commit(batch: readonly Write[]): Promise<Outcome<StoredOutcome>[]> {
    const startedAt = performance.now();
    const toOutcome = ({ failure }: Failure) => {
      this.parts.onFailure(failure);
      return { error: toWriteError(failure) };
    };
    try {
      const outcomes = await this.#request("commit", pack(batch));
      this.parts.onCommit();
      return unpack(batch, outcomes).map((outcome) =>
        "failure" in outcome ? toOutcome(outcome) : { result: outcome },
      );
    } catch (error) {
      if (!(error instanceof ReportedFailure)) throw error;
      return batch.map(() => toOutcome(error));
    } finally {
      const names = () => [...new Set(batch.map(nameOf))].join(", ");
      logIfSlow(this.parts.telemetry, names, performance.now() - startedAt, { writes: batch.length });
    }
  }

  #sharedCheck(): Promise<void> {
    this.#check ??= this.#request("check").finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  #request<Name extends keyof Tasks>(
    task: Name,
    ...[argument]: Parameters<Tasks[Name]>
  ): Promise<ReturnType<Tasks[Name]>> {
    if (this.#death !== undefined) {
      return Promise.reject(new ServiceError("ServiceUnavailable", cannotWriteText, this.#death));
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ since: performance.now(), resolve: resolve as (result: unknown) => void, reject });
      this.#worker.postMessage({ task, argument } satisfies WriterRequest);
    });
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

export interface WriteContext {
  readonly origin?: Origin | undefined;
  readonly time?: TimeSpent | undefined;
  readonly record?: IdempotencyRecord;
  readonly expiryCutoff?: number;
}

interface WriterParts {
  readonly openOptions: OpenOptions;
  readonly faults: { requireUndamaged(): void };
  readonly telemetry: StoreTelemetry;
  /** Called when the thread has ended unexpectedly or must not write again, so that the program has to be restarted. */
  onDeath(reason: string): void;
  onCommit(): void;
  onFailure(failure: SqliteFailure): void;
}

interface PendingRequest {
  readonly since: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Joins consecutive creations without idempotency records, which is the fastest way to send and insert them. */
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

function unpack(batch: readonly Write[], outcomes: readonly WriteOutcome[]): (StoredOutcome | Failure)[] {
  return outcomes.map((outcome, index) =>
    typeof outcome === "number" ? { result: { id: outcome, ...(batch[index]?.argument as NewPet) } } : outcome,
  );
}

function nameOf(write: Write): string {
  return write.name === "shared" ? write.argument.slice(0, 2).join(".") : write.name;
}

function weightOf(write: Write): number {
  return write.name === "createPets" ? petCountOf(write.argument) : 1;
}

/** Exceeds SQLite's timeout for locks, so any longer silence means that the thread hangs. */
export const maxSilenceMs = 7_000;

function notResponding(): ServiceError {
  return new ServiceError("ServiceUnavailable", "The store is not responding.", "the writer thread does not respond");
}
