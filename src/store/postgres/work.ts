import { type IdempotencyRecord, StillInProgress } from "../../domain/idempotency.ts";
import type { Expiry } from "../expiry.ts";
import type { IdempotencyQuota } from "../idempotency-quota.ts";
import type { TimeSpent } from "../store.ts";
import {
  familyIdOf,
  isStorable,
  LateRefusal,
  replayOutcome,
  requireResult,
  type StoredOutcome,
  type StoredRecord,
  serializeOutcome,
  toRefusal,
} from "../stored-outcome.ts";
import { recordCounter } from "./idempotency.ts";
import { appliedOnStandbys, type Query } from "./query.ts";
import type { Connection, IsLeft } from "./servers/connection.ts";

/**
 * Does some work in a transaction of its own. Work refuses, by a ServiceError, before it has changed anything.
 */
export type Perform = <Result>(work: (query: Query) => Promise<Result>, isLeft?: IsLeft) => Promise<Result>;

export function performOn(primary: Connection, time?: TimeSpent): Perform {
  return (work, isLeft) => primary.transaction(work, isLeft, time);
}

/**
 * Does the work and stores its outcome in the same transaction, or returns the stored outcome of an earlier request. Throws
 * TooManyRequests, having done nothing, once the quota is used up.
 */
export function performOnce(
  primary: Connection,
  record: IdempotencyRecord,
  quota: IdempotencyQuota,
  expiry: Expiry,
  time?: TimeSpent,
): Perform {
  return async <Result>(work: (query: Query) => Promise<Result>, isLeft?: IsLeft) => {
    const expiredAt = expiry.cutoff(record.at);
    const outcome = await primary.transaction((query) => settle(query, record, expiredAt, quota, work), isLeft, time);
    if (outcome.isReplay) record.onReplay();
    return requireResult(outcome) as Result;
  };
}

/** Shows that a write could be made: a commit that changes nothing, but waits for disks and standbys as any other. */
export async function commitNothing({ query }: Connection, isAppliedOnStandbys: boolean): Promise<void> {
  await query(isAppliedOnStandbys ? `${logNothing} FROM ${appliedOnStandbys}` : logNothing);
}

/** Adds to the server's log what nobody reads, without which the commit would have nothing to wait for. */
const logNothing = "SELECT pg_logical_emit_message(true, 'animal-store', '')";

async function settle(
  query: Query,
  record: IdempotencyRecord,
  expiredAt: number,
  quota: IdempotencyQuota,
  work: (query: Query) => Promise<unknown>,
): Promise<StoredOutcome> {
  // The lock is released at the end of the transaction; the next holder sees what was stored.
  const [lock] = await query<{ isOurs: boolean }>(tryLock(query.schema), [
    String(Buffer.from(record.name).readBigInt64BE()),
  ]);
  if (!lock?.isOurs) throw new StillInProgress();
  const [kept] = await query<StoredRecord>(
    `SELECT fingerprint, conclusion AS outcome FROM ${query.schema}.claims WHERE name = $1 AND created_at > $2`,
    [record.name, expiredAt],
  );
  if (kept) {
    const outcome = replayOutcome(kept, record);
    // What was done then may have been given up while it waited for the standbys. A commit that is written waits for them.
    await query(logNothing);
    return outcome;
  }
  await quota.reserve(record, recordCounter(query));
  const outcome: StoredOutcome = await work(query).then(
    (result) => ({ result }),
    async (error) => {
      const refusal = toRefusal(error);
      if ((await query(ownChanges)).length > 0) throw new LateRefusal(error);
      return refusal;
    },
  );
  if (!isStorable(outcome)) return outcome;
  await query(
    `INSERT INTO ${query.schema}.claims (name, fingerprint, conclusion, created_at, line) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO UPDATE SET
       fingerprint = excluded.fingerprint, conclusion = excluded.conclusion, created_at = excluded.created_at,
       line = excluded.line`,
    [record.name, record.fingerprint, serializeOutcome(outcome), record.at, familyIdOf(record)],
  );
  return outcome;
}

/**
 * Locks the name of a record within the schema. Version 1.0.0 locks the name alone, which two stores in one database may have in
 * common: newer programs share that lock, so that it excludes only programs of that version.
 */
function tryLock(schema: string): string {
  return `SELECT pg_try_advisory_xact_lock_shared($1)
  AND pg_try_advisory_xact_lock($1 # hashtextextended('${schema}.claims', 0)) AS "isOurs"`;
}

/** Every statement that changes rows takes this lock on its table until the end of the transaction; reads and row locks do not. */
const ownChanges =
  "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND mode = 'RowExclusiveLock' LIMIT 1";
