import type { Database } from "bun:sqlite";
import type { Origin } from "../../../domain/event.ts";
import type { IdempotencyLimits } from "../../idempotency-quota.ts";
import { runStepsNow, type SharedWrite, stepsOf } from "../../shared-writes.ts";
import { LateRefusal, type StoredOutcome, toRefusal } from "../../stored-outcome.ts";
import { connectWriter, truncateWal } from "../connection/connect.ts";
import {
  type Failure,
  FileLost,
  isConstraintViolation,
  ReportedFailure,
  reopening,
  type SqliteFailure,
  toFailure,
} from "../errors.ts";
import { addEvent, type EventValues, type Log, prepareAppend, prepareEventWrites } from "../events.ts";
import { findDamage } from "../file/examine.ts";
import { FileGuard } from "../file/guard.ts";
import { prepareIdempotency, prepareRecordWrites, type SentRecord } from "../idempotency.ts";
import { preparePetWrites } from "../pets.ts";
import { SqliteTransaction } from "../transaction.ts";
import { prepareTransferWrites } from "../transfer.ts";
import { prepareWebhookWrites } from "../webhooks.ts";
import { type Added, type Additions, prepareAdditions, splitAdditions } from "./additions.ts";

/** All writes. Each is atomic, logs its changes, and throws a ServiceError only before it has changed anything. */
export type Writes = ReturnType<typeof prepareWrites>;

export type Write = {
  [Name in keyof Writes]: {
    name: Name;
    argument: Parameters<Writes[Name]>[0];
    origin: Origin;
    record?: SentRecord | undefined;
  };
}[keyof Writes];

/** Each message gets one reply, in order, unless the thread fails. */
export type ToWriter =
  | { readonly open: string; readonly idempotencyLimits: IdempotencyLimits; readonly isBulk: boolean }
  | { readonly writes: readonly (Write | Additions)[] }
  | { readonly check: true }
  | { readonly findDamage: string }
  | { readonly truncateWal: true }
  | { readonly close: true };

/** The outcomes of the writes in their order; the failure of a message without writes; or the reason why no further write is possible. */
export type FromWriter =
  | { readonly outcomes: readonly WriteOutcome[] }
  | { readonly failure: SqliteFailure }
  | { readonly fault: string };

export type WriteOutcome = StoredOutcome | Added | Failure;

declare const self: Worker;

let commit: (writes: readonly (Write | Additions)[]) => WriteOutcome[];
let check: () => void;
let checkAndTruncateWal: () => void;
let close: () => void;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  try {
    if ("writes" in data) reply({ outcomes: checkAndCommit(data.writes) });
    else if ("open" in data) replyTo(() => open(data.open, data.idempotencyLimits, data.isBulk));
    else if ("check" in data) replyTo(check);
    else if ("findDamage" in data) reply({ failure: findDamage(data.findDamage) });
    else replyTo("truncateWal" in data ? checkAndTruncateWal : close);
  } catch (error) {
    reply({ fault: error instanceof Error ? error.message : String(error) });
  }
};

function checkAndCommit(batch: readonly (Write | Additions)[]): readonly WriteOutcome[] {
  try {
    check();
  } catch (error) {
    const outcomes = failAll(batch, toFailure(error));
    if (!(error instanceof FileLost)) return outcomes;
    // The writes are rejected before the thread ends.
    reply({ outcomes });
    throw error;
  }
  return commit(batch);
}

function failAll(batch: readonly (Write | Additions)[], failure: SqliteFailure): Failure[] {
  return batch.flatMap(splitAdditions).map(() => ({ failure }));
}

function replyTo(work: () => void): void {
  try {
    work();
    reply({ outcomes: [] });
  } catch (error) {
    if (error instanceof FileLost) throw error;
    reply({ failure: toFailure(error) });
  }
}

function open(path: string, idempotencyLimits: IdempotencyLimits, isBulk: boolean): void {
  const database = connectWriter(path, isBulk);
  close = () => database.close(true);
  const perform = preparePerform(database, idempotencyLimits);
  const guard = new FileGuard(path, database);
  const performAll = database.transaction((batch: readonly (Write | Additions)[]) => {
    guard.reserve();
    return batch.map(perform);
  }).immediate;
  let truncateAgainAt = 0;
  check = () => guard.check();
  checkAndTruncateWal = () => {
    check();
    // A long read transaction, such as that of a backup, must not delay writes repeatedly.
    if (performance.now() < truncateAgainAt) return;
    if (!truncateWal(database)) truncateAgainAt = performance.now() + truncateAgainMs;
  };
  commit = (batch) => {
    try {
      return performAll(batch);
    } catch (error) {
      const failure = toFailure(error);
      const singles = batch.flatMap(splitAdditions);
      // A write that fails by itself must not take down the others in its transaction.
      if (singles.length > 1 && isConstraintViolation(failure)) return singles.flatMap((write) => commit([write]));
      return failAll(batch, failure);
    }
  };
  close = () => {
    check = () => {
      throw new ReportedFailure(reopening);
    };
    database.close(true);
    guard.close();
    close = () => {};
  };
}

const truncateAgainMs = 5_000;

function preparePerform(database: Database, limits: IdempotencyLimits): (write: Write | Additions) => WriteOutcome {
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
      const refusal = toRefusal(error);
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
      return runStepsNow(stepsOf(write, transaction));
    },
    ...preparePetWrites(database),
    ...prepareRecordWrites(database),
    ...prepareEventWrites(database),
    ...prepareWebhookWrites(database, transaction),
    ...prepareTransferWrites(database),
  };
}

function reply(message: FromWriter): void {
  self.postMessage(message);
}
