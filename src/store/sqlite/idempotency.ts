import type { Database } from "bun:sqlite";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import { type IdempotencyLimits, IdempotencyQuota, type RecordCounter } from "../idempotency-quota.ts";
import {
  deletionBatchSize,
  familyIdOf,
  isStorable,
  replayOutcome,
  type StoredOutcome,
  type StoredRecord,
  serializeOutcome,
  toRefusal,
} from "../stored-outcome.ts";
import type { RecordCounts } from "../telemetry.ts";

/** The parts of a record that can be sent to the writer thread, and the time up to which earlier claims have expired. */
export type SentRecord = Omit<IdempotencyRecord, "onReplay"> & { readonly expiredAt: number };

/** Does the work unless it was done under the same record before, and stores its outcome. Refuses it without room for that. */
export function prepareIdempotency(
  database: Database,
  limits: IdempotencyLimits,
): (record: SentRecord, work: () => StoredOutcome) => StoredOutcome {
  const find = database.prepare<StoredRecord, [Uint8Array, number]>(
    "SELECT fingerprint, conclusion AS outcome FROM claims WHERE name = ? AND created_at > ?",
  );
  const keep = database.prepare(
    "INSERT OR REPLACE INTO claims (name, fingerprint, conclusion, created_at, line) VALUES (?, ?, ?, ?, ?)",
  );
  const counter = prepareRecordCounter(database);
  const quota = new IdempotencyQuota(limits, sharers);
  return (record, work) => {
    try {
      const kept = find.get(record.name, record.expiredAt);
      if (kept) return replayOutcome(kept, record);
      quota.reserve(record, counter);
    } catch (error) {
      return toRefusal(error);
    }
    const outcome = work();
    if (isStorable(outcome))
      keep.run(record.name, record.fingerprint, serializeOutcome(outcome), record.at, familyIdOf(record));
    return outcome;
  };
}

/** One process writes to a file. */
const sharers = 1;

export function prepareRecordWrites(database: Database) {
  const forget = database.prepare(
    `DELETE FROM claims WHERE name IN (
       SELECT name FROM claims INDEXED BY claims_by_age WHERE created_at <= ? ORDER BY created_at LIMIT ? + 0
     )`,
  );
  const redate = database.prepare(
    `UPDATE claims SET created_at = ?1 WHERE name IN (
       SELECT name FROM claims INDEXED BY claims_by_age WHERE created_at > ?2 ORDER BY created_at LIMIT ?3 + 0
     )`,
  );
  return {
    /** Returns true if there may be more. */
    deleteExpiredRecords({ now, expiredAt, latest }: { now: number; expiredAt: number; latest: number }): boolean {
      const forgotten = forget.run(expiredAt, deletionBatchSize).changes;
      // Records that a wrong clock has dated in the future would otherwise be kept until that time.
      const redated = redate.run(now, latest, deletionBatchSize).changes;
      return forgotten === deletionBatchSize || redated === deletionBatchSize;
    },
  };
}

/** Counts all claims, in steps so short that no request waits for them. `inTurn` runs each in a tick of its own. */
export function recordCounts(database: Database): (expiredAt: number, inTurn: InTurn) => Promise<RecordCounts> {
  const lastOfStep = database.prepare<{ at: number | null }, [number]>(
    `SELECT max(created_at) AS at FROM (
       SELECT created_at FROM claims INDEXED BY claims_by_age WHERE created_at > ? ORDER BY created_at LIMIT ${countingStep}
     )`,
  );
  const countStep = database.prepare<{ count: number; expired: number }, [number, number, number]>(
    `SELECT count(*) AS count, coalesce(sum(created_at <= ?3), 0) AS expired
     FROM claims INDEXED BY claims_by_age WHERE created_at > ?1 AND created_at <= ?2`,
  );
  const step = (after: number, expiredAt: number) => {
    const last = lastOfStep.get(after)?.at ?? undefined;
    const counted = last === undefined ? undefined : countStep.get(after, last, expiredAt);
    return { last, count: counted?.count ?? 0, expired: counted?.expired ?? 0 };
  };
  return async (expiredAt, inTurn) => {
    let [all, allExpired] = [0, 0];
    for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
      const from: number = after;
      const { last, count, expired } = await inTurn(() => step(from, expiredAt));
      all += count;
      allExpired += expired;
      after = last;
    }
    return { kept: all - allExpired, expired: allExpired };
  };
}

export type InTurn = <Result>(read: () => Result) => Promise<Result>;

const countingStep = 5_000;

function prepareRecordCounter(database: Database): RecordCounter {
  const count = (kept: string) => `SELECT count(*) AS count FROM (SELECT 1 FROM claims ${kept} LIMIT ? + 0)`;
  const oldest = (kept: string) =>
    `SELECT created_at AS madeAt FROM claims ${kept} ORDER BY created_at LIMIT 1 OFFSET ? + 0`;
  const all = "INDEXED BY claims_by_age WHERE created_at > ?";
  const ofLine = "INDEXED BY claims_by_line WHERE line = ? AND created_at > ?";
  const countAll = database.prepare<{ count: number }, [number, number]>(count(all));
  const countLine = database.prepare<{ count: number }, [number, number, number]>(count(ofLine));
  const oldestOfAll = database.prepare<{ madeAt: number }, [number, number]>(oldest(all));
  const oldestOfLine = database.prepare<{ madeAt: number }, [number, number, number]>(oldest(ofLine));
  return {
    count: (line, after, limit) =>
      (line === undefined ? countAll.get(after, limit) : countLine.get(line, after, limit))?.count ?? 0,
    findOldest: (line, after, but) =>
      (line === undefined ? oldestOfAll.get(after, but) : oldestOfLine.get(line, after, but))?.madeAt,
  };
}
