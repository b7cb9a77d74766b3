import type { Database } from "bun:sqlite";
import type { Origin } from "../../../domain/event.ts";
import type { IdempotencyLimits } from "../../idempotency-quota.ts";
import { runStepsNow, type SharedWrite, stepsOf } from "../../shared-writes.ts";
import { LateRefusal, type StoredOutcome, toRefusal } from "../../stored-outcome.ts";
import { connectWriter, truncateWal } from "../connection/connect.ts";
import {
  type Failure,
  isConstraintViolation,
  ReportedFailure,
  reopening,
  type SqliteFailure,
  toFailure,
} from "../errors.ts";
import { addEvent, type EventValues, type Log, prepareAppend, prepareEventWrites } from "../events.ts";
import { findDamage } from "../file/examine.ts";
import { FileGuard, FileLost } from "../file/guard.ts";
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

/** Each message gets one reply, in order, unless there is a fault. */
export type ToWriter =
  | { readonly open: string; readonly idempotencyLimits: IdempotencyLimits; readonly isBulk: boolean }
  | { readonly writes: readonly (Write | Additions)[] }
  | { readonly check: true }
  | { readonly findDamage: string }
  | { readonly emptyLog: true }
  | { readonly close: true };

/**
 * The results of the writes in their order, or none; the failure of a message without writes; or the reason why no write is
 * possible.
 */
export type FromWriter =
  | { readonly outcomes: readonly (StoredOutcome | Added | Failure)[] }
  | { readonly failure: SqliteFailure }
  | { readonly fault: string };

declare const self: Worker;

let commit: (writes: readonly (Write | Additions)[]) => (StoredOutcome | Added | Failure)[];
let check: () => void;
let checkAndEmptyLog: () => void;
let close: () => void;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  try {
    if ("writes" in data) reply({ outcomes: checkAndCommit(data.writes) });
    else if ("open" in data) answer(() => open(data.open, data.idempotencyLimits, data.isBulk));
    else if ("check" in data) answer(check);
    else if ("findDamage" in data) reply({ failure: findDamage(data.findDamage) });
    else answer("emptyLog" in data ? checkAndEmptyLog : close);
  } catch (error) {
    reply({ fault: error instanceof Error ? error.message : String(error) });
  }
};

function checkAndCommit(batch: readonly (Write | Additions)[]): readonly (StoredOutcome | Added | Failure)[] {
  try {
    check();
  } catch (error) {
    const failure = toFailure(error);
    const answers = batch.flatMap(splitAdditions).map(() => ({ failure }));
    if (!(error instanceof FileLost)) return answers;
    // The writes are rejected before the thread is given up.
    reply({ outcomes: answers });
    throw error;
  }
  return commit(batch);
}

function answer(work: () => void): void {
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
  const writes = prepareWrites(database);
  const settle = prepareIdempotency(database, idempotencyLimits);
  const changes = database.prepare<{ count: number }, []>("SELECT total_changes() AS count");
  const append = prepareAppend(database);
  const attempt = ({ name, argument, origin }: Write): StoredOutcome => {
    const before = changes.get()?.count;
    const log: Log = (done) => {
      const events: EventValues = [];
      for (const change of done) addEvent(events, change, change.id, origin);
      append(events);
    };
    try {
      return { result: (writes[name] as (argument: Write["argument"], log: Log) => unknown)(argument, log) };
    } catch (error) {
      const refusal = toRefusal(error);
      if (changes.get()?.count !== before) throw new LateRefusal(error);
      return refusal;
    }
  };
  const add = prepareAdditions(database);
  const perform = (write: Write | Additions): StoredOutcome | Added => {
    if ("additions" in write) return add(write);
    return write.record ? settle(write.record, () => attempt(write)) : attempt(write);
  };
  const guard = new FileGuard(path, database);
  const together = database.transaction((batch: readonly (Write | Additions)[]) => {
    guard.reserve();
    return batch.map(perform);
  }).immediate;
  let emptyAgainAt = 0;
  check = () => guard.check();
  checkAndEmptyLog = () => {
    check();
    // A long read transaction, such as of a backup, must not delay writes repeatedly.
    if (performance.now() < emptyAgainAt) return;
    if (!truncateWal(database)) emptyAgainAt = performance.now() + emptyAgainMs;
  };
  commit = (batch) => {
    try {
      return together(batch);
    } catch (error) {
      const failure = toFailure(error);
      const single = batch.flatMap(splitAdditions);
      // A write that fails must not take down the others in its transaction.
      if (single.length > 1 && isConstraintViolation(failure)) return single.flatMap((write) => commit([write]));
      return single.map(() => ({ failure }));
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

const emptyAgainMs = 5_000;

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
