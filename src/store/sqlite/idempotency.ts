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
  toRefusedOutcome,
} from "../stored-outcome.ts";
import type { RecordCounts } from "../telemetry.ts";

/** The parts of a record that can be sent to the writer thread, and the time up to which earlier records have expired. */
export type SentRecord = Omit<IdempotencyRecord, "onReplay"> & { readonly expiryCutoff: number };

/** Returns a function that does the work and stores its outcome, or returns the stored outcome of an earlier request. */
export function prepareIdempotency(
  database: Database,
  limits: IdempotencyLimits,
): (record: SentRecord, work: () => StoredOutcome) => StoredOutcome {
  const find = database.prepare<StoredRecord, [Uint8Array, number]>(
    "SELECT fingerprint, conclusion AS outcome FROM claims WHERE name = ? AND created_at > ?",
  );
  const store = database.prepare(
    "INSERT OR REPLACE INTO claims (name, fingerprint, conclusion, created_at, line) VALUES (?, ?, ?, ?, ?)",
  );
  const counter = prepareRecordCounter(database);
  const quota = new IdempotencyQuota(limits, 1);
  return (record, work) => {
    try {
      const stored = find.get(record.name, record.expiryCutoff);
      if (stored) return replayOutcome(stored, record);
      quota.reserve(record, counter);
    } catch (error) {
      return toRefusedOutcome(error);
    }
    const outcome = work();
    if (isStorable(outcome)) {
      store.run(record.name, record.fingerprint, serializeOutcome(outcome), record.at, familyIdOf(record));
    }
    return outcome;
  };
}

export function prepareRecordWrites(database: Database) {
  const oldestNames = (condition: string) =>
    `SELECT name FROM claims INDEXED BY claims_by_age WHERE ${condition} ORDER BY created_at LIMIT ${deletionBatchSize}`;
  const expire = database.prepare(`DELETE FROM claims WHERE name IN (${oldestNames("created_at <= ?")})`);
  const redate = database.prepare(
    `UPDATE claims SET created_at = ?1 WHERE name IN (${oldestNames("created_at > ?2")})`,
  );
  return {
    /** Deletes expired records, and dates records after `maxDate` to `now`, one batch of each. Returns true if more may remain. */
    deleteExpiredRecords({ now, cutoff, maxDate }: { now: number; cutoff: number; maxDate: number }): boolean {
      const deleted = expire.run(cutoff).changes;
      // Otherwise, records that a wrong clock has dated in the future would not expire before that date.
      const redated = redate.run(now, maxDate).changes;
      return deleted === deletionBatchSize || redated === deletionBatchSize;
    },
  };
}

export function prepareRecordCounts(database: Database): (expiryCutoff: number) => RecordCounts {
  // Two walks along the index are faster than one with a comparison per row.
  const count = (comparison: string) =>
    `(SELECT count(*) FROM claims INDEXED BY claims_by_age WHERE created_at ${comparison} ?1)`;
  const counts = database.prepare<RecordCounts, [number]>(`SELECT ${count(">")} AS kept, ${count("<=")} AS expired`);
  return (expiryCutoff) => counts.get(expiryCutoff) ?? { kept: 0, expired: 0 };
}

function prepareRecordCounter(database: Database): RecordCounter {
  type Bound = [family: number | null, after: number, limit: number];
  const prepare = (selection: string) => ({
    count: database.prepare<{ count: number }, Bound>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM claims ${selection} LIMIT ?3 + 0)`,
    ),
    findOldest: database.prepare<{ createdAt: number }, Bound>(
      `SELECT created_at AS createdAt FROM claims ${selection} ORDER BY created_at LIMIT 1 OFFSET ?3 + 0`,
    ),
  });
  const all = prepare("INDEXED BY claims_by_age WHERE created_at > ?2");
  const ofFamily = prepare("INDEXED BY claims_by_line WHERE line = ?1 AND created_at > ?2");
  const statementsFor = (family: number | undefined) => (family === undefined ? all : ofFamily);
  return {
    count: (family, ...values) => statementsFor(family).count.get(family ?? null, ...values)?.count ?? 0,
    findOldest: (family, ...values) => statementsFor(family).findOldest.get(family ?? null, ...values)?.createdAt,
  };
}
