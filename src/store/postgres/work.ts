import { type IdempotencyRecord, StillInProgress } from "../../domain/idempotency.ts";
import type { Expiry } from "../expiry.ts";
import type { IdempotencyQuota } from "../idempotency-quota.ts";
import type { TimeSpent } from "../store.ts";
import {
  asRefusal,
  familyIdOf,
  isKept,
  LateRefusal,
  recall,
  resultOf,
  type StoredOutcome,
  type StoredRecord,
  textOf,
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
 * Work is done unless it was done under the same claim before; what came of it is kept in the same transaction. Without room
 * to keep that, it is not done.
 */
export function performOnce(
  primary: Connection,
  claim: IdempotencyRecord,
  room: IdempotencyQuota,
  expiry: Expiry,
  time?: TimeSpent,
): Perform {
  return async <Result>(work: (query: Query) => Promise<Result>, isLeft?: IsLeft) => {
    const expiredAt = expiry.cutoff(claim.at);
    const conclusion = await primary.transaction((query) => settle(query, claim, expiredAt, room, work), isLeft, time);
    if (conclusion.isReplay) claim.onReplay();
    return resultOf(conclusion) as Result;
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
  claim: IdempotencyRecord,
  expiredAt: number,
  room: IdempotencyQuota,
  work: (query: Query) => Promise<unknown>,
): Promise<StoredOutcome> {
  // The lock is released at the end of the transaction; the next holder sees what was stored.
  const [lock] = await query<{ isOurs: boolean }>(tryLock(query.schema), [
    String(Buffer.from(claim.name).readBigInt64BE()),
  ]);
  if (!lock?.isOurs) throw new StillInProgress();
  const [kept] = await query<StoredRecord>(
    `SELECT fingerprint, conclusion FROM ${query.schema}.claims WHERE name = $1 AND created_at > $2`,
    [claim.name, expiredAt],
  );
  if (kept) {
    const conclusion = recall(kept, claim);
    // What was done then may have been given up while it waited for the standbys. A commit that is written waits for them.
    await query(logNothing);
    return conclusion;
  }
  await room.take(claim, recordCounter(query));
  const conclusion: StoredOutcome = await work(query).then(
    (result) => ({ result }),
    async (error) => {
      const refusal = asRefusal(error);
      if ((await query(ownChanges)).length > 0) throw new LateRefusal(error);
      return refusal;
    },
  );
  if (!isKept(conclusion)) return conclusion;
  await query(
    `INSERT INTO ${query.schema}.claims (name, fingerprint, conclusion, created_at, line) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO UPDATE SET
       fingerprint = excluded.fingerprint, conclusion = excluded.conclusion, created_at = excluded.created_at,
       line = excluded.line`,
    [claim.name, claim.fingerprint, textOf(conclusion), claim.at, familyIdOf(claim)],
  );
  return conclusion;
}

/**
 * Locks a claim of the schema. Version 1.0.0 locks the name of the claim alone, which
 * two stores in one database may have in common: new programs share that lock, so that it keeps out only those.
 */
function tryLock(schema: string): string {
  return `SELECT pg_try_advisory_xact_lock_shared($1)
  AND pg_try_advisory_xact_lock($1 # hashtextextended('${schema}.claims', 0)) AS "isOurs"`;
}

/** Every statement that changes rows takes this lock on its table until the end of the transaction; reads and row locks do not. */
const ownChanges =
  "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND mode = 'RowExclusiveLock' LIMIT 1";
