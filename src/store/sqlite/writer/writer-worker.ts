import type { Database } from "bun:sqlite";
import type { Origin } from "../../../domain/event.ts";
import type { IdempotencyLimits } from "../../idempotency-quota.ts";
import { runStepsNow, type SharedWrite, stepsFor } from "../../shared-writes.ts";
import { LateRefusal, type StoredOutcome, toRefusedOutcome } from "../../stored-outcome.ts";
import { connectWriter, truncateWal } from "../connection/connect.ts";
import { type Failure, isConstraintViolation, ReportedFailure, reopeningFailure, toFailure } from "../errors.ts";
import { addEvent, type EventValues, type Log, prepareAppend, prepareEventDeletion } from "../events.ts";
import { findDamage } from "../file/examine.ts";
import { FileGuard } from "../file/guard.ts";
import { prepareIdempotency, prepareRecordWrites, type SentRecord } from "../idempotency.ts";
import { preparePetWrites } from "../pets.ts";
import { SqliteTransaction } from "../transaction.ts";
import { prepareTransferWrites } from "../transfer.ts";
import { prepareWebhookWrites } from "../webhooks.ts";
import { type Additions, prepareAdditions, splitAdditions } from "./additions.ts";

/** All writes of the thread. Each write is atomic, logs its changes, and throws a ServiceError only before it has changed anything. */
export type Writes = ReturnType<typeof prepareWrites>;

export type Write = {
  [Name in keyof Writes]: {
    name: Name;
    argument: Parameters<Writes[Name]>[0];
    origin: Origin;
    record?: SentRecord | undefined;
  };
}[keyof Writes];

export type Tasks = typeof tasks;

/** Asks the thread to run a task. Each request gets one reply, in the same sequence, unless the thread fails. */
export interface WriterRequest {
  readonly task: keyof Tasks;
  readonly argument: unknown;
}

export type WriterReply = { readonly result: unknown } | Failure | { readonly fault: string };

/** A number is the id of an animal that was added by `Additions`. */
export type WriteOutcome = StoredOutcome | Failure | number;

type Batch = readonly (Write | Additions)[];

declare const self: Worker;

let connection: Connection | undefined;

const tasks = {
  open({ path, idempotencyLimits, isBulk }: OpenOptions): void {
    using onFailure = new DisposableStack();
    const database = onFailure.adopt(connectWriter(path, isBulk), (opened) => opened.close(true));
    connection = new Connection(path, database, idempotencyLimits);
    onFailure.move();
  },
  commit: (batch: Batch) => requireOpen().checkAndCommit(batch),
  check: () => requireOpen().check(),
  findDamage,
  truncateWal: () => requireOpen().truncateWal(),
  close(): void {
    connection?.close();
    connection = undefined;
  },
};

self.onmessage = ({ data: { task, argument } }: MessageEvent<WriterRequest>) => {
  try {
    reply({ result: (tasks[task] as (argument: unknown) => unknown)(argument) });
  } catch (error) {
    const failure = toFailure(error);
    // An error that is neither SQLite's nor the system's means that the files are lost, or is a bug.
    reply(failure.code === "UNKNOWN" ? { fault: failure.message } : { failure });
  }
};

function reply(message: WriterReply): void {
  self.postMessage(message);
}

function requireOpen(): Connection {
  if (!connection) throw new ReportedFailure(reopeningFailure);
  return connection;
}

export interface OpenOptions {
  readonly path: string;
  readonly idempotencyLimits: IdempotencyLimits;
  readonly isBulk: boolean;
}

class Connection {
  readonly #guard: FileGuard;
  readonly #performAll: (batch: Batch) => WriteOutcome[];
  #truncateAgainAt = 0;

  constructor(
    path: string,
    readonly database: Database,
    limits: IdempotencyLimits,
  ) {
    const perform = prepareWriteRunner(database, limits);
    this.#guard = new FileGuard(path, database);
    this.#performAll = database.transaction((batch: Batch) => {
      this.#guard.reserve();
      return batch.flatMap(perform);
    }).immediate;
  }

  check(): void {
    this.#guard.check();
  }

  checkAndCommit(batch: Batch): WriteOutcome[] {
    this.check();
    return this.#commit(batch);
  }

  #commit(batch: Batch): WriteOutcome[] {
    try {
      return this.#performAll(batch);
    } catch (error) {
      const failure = toFailure(error);
      const singles = batch.flatMap(splitAdditions);
      // Commits each write alone, so that a write that violates a constraint does not make the other writes fail.
      if (singles.length > 1 && isConstraintViolation(failure))
        return singles.flatMap((write) => this.#commit([write]));
      return singles.map(() => ({ failure }));
    }
  }

  truncateWal(): void {
    this.check();
    // A long read transaction, such as that of a backup, must not delay writes repeatedly.
    if (performance.now() < this.#truncateAgainAt) return;
    if (!truncateWal(this.database)) this.#truncateAgainAt = performance.now() + truncateAgainMs;
  }

  close(): void {
    this.database.close(true);
    this.#guard.close();
  }
}

const truncateAgainMs = 5_000;

function prepareWriteRunner(
  database: Database,
  limits: IdempotencyLimits,
): (write: Write | Additions) => WriteOutcome | WriteOutcome[] {
  const writes = prepareWrites(database);
  const withIdempotency = prepareIdempotency(database, limits);
  const add = prepareAdditions(database);
  const totalChanges = database.prepare<{ count: number }, []>("SELECT total_changes() AS count");
  const append = prepareAppend(database);
  const attempt = ({ name, argument, origin }: Write): StoredOutcome => {
    const before = totalChanges.get()?.count;
    const log: Log = (changes) => {
      const events: EventValues = [];
      for (const change of changes) addEvent(events, change, change.id, origin);
      append(events);
    };
    try {
      return { result: (writes[name] as (argument: Write["argument"], log: Log) => unknown)(argument, log) };
    } catch (error) {
      const refusal = toRefusedOutcome(error);
      if (totalChanges.get()?.count !== before) throw new LateRefusal(error);
      return refusal;
    }
  };
  return (write) => {
    if ("additions" in write) return add(write);
    return write.record ? withIdempotency(write.record, () => attempt(write)) : attempt(write);
  };
}

function prepareWrites(database: Database) {
  const transaction = new SqliteTransaction(database);
  return {
    shared(write: SharedWrite, log: Log): unknown {
      transaction.log = log;
      return runStepsNow(stepsFor(write, transaction));
    },
    ...preparePetWrites(database),
    ...prepareRecordWrites(database),
    ...prepareEventDeletion(database),
    ...prepareWebhookWrites(database, transaction),
    ...prepareTransferWrites(database),
  };
}
