import type { Origin } from "../../domain/event.ts";
import { type IdempotencyRecord, StillInProgress } from "../../domain/idempotency.ts";
import type { Engine } from "../assemble-store.ts";
import type { Expiry } from "../expiry.ts";
import type { IdempotencyQuota, RecordCounter } from "../idempotency-quota.ts";
import type { TimeSpent } from "../store.ts";
import {
  deletionBatchSize,
  familyIdOf,
  isStorable,
  LateRefusal,
  limitToOneWrite,
  recordLifetimeMs,
  replayOutcome,
  requireResult,
  type StoredOutcome,
  type StoredRecord,
  serializeOutcome,
  toRefusedOutcome,
} from "../stored-outcome.ts";
import { recordTable, upsertClause } from "../tables.ts";
import type { RecordCounts } from "../telemetry.ts";
import { overestimatedRow, type Query, writeNothing } from "./query.ts";
import type { Connection, Transact } from "./servers/connection.ts";
import type { CanCommitLate } from "./servers/pool-use.ts";

export interface WriteContext {
  readonly origin: () => Origin;
  readonly time: TimeSpent | undefined;
  readonly transact: Transact;
  /** Repeats a write whose first transaction was certainly not committed. */
  readonly retry: Transact;
  readonly isIdempotent: boolean;
}

export function createWriteContexts(
  primary: Connection,
  quota: IdempotencyQuota,
  expiry: Expiry,
  originNow: () => Origin,
): Pick<Engine<WriteContext>, "contextFor" | "withIdempotency"> {
  return {
    contextFor(origin, time) {
      const transact: Transact = (work, canCommitLate) => primary.transaction(work, canCommitLate, time);
      return { origin: origin ? () => origin : originNow, time, transact, retry: transact, isIdempotent: false };
    },
    withIdempotency(record, { origin, time }) {
      const retry = transactOnce(primary, record, quota, expiry, time);
      return { origin, time, transact: limitToOneWrite(retry), retry, isIdempotent: true };
    },
  };
}

/** Returns a function that runs a write and stores its outcome in one transaction, or replays the stored outcome. */
export function transactOnce(
  primary: Connection,
  record: IdempotencyRecord,
  quota: IdempotencyQuota,
  expiry: Expiry,
  time?: TimeSpent,
): Transact {
  return async <Result>(work: (query: Query) => Promise<Result>, canCommitLate?: CanCommitLate) => {
    const expiryCutoff = expiry.cutoff(record.at);
    const runOnce = (query: Query) => replayOrRun(query, record, expiryCutoff, quota, work);
    const outcome = await primary.transaction(runOnce, canCommitLate, time);
    if (outcome.isReplay) record.onReplay();
    return requireResult(outcome) as Result;
  };
}

async function replayOrRun(
  query: Query,
  record: IdempotencyRecord,
  expiryCutoff: number,
  quota: IdempotencyQuota,
  work: (query: Query) => Promise<unknown>,
): Promise<StoredOutcome> {
  const lockId = String(Buffer.from(record.name).readBigInt64BE());
  // The first lock is shared, so it excludes only version 1.0.0, which takes that lock exclusively for all schemas.
  const [lock] = await query<{ isOurs: boolean }>(
    `SELECT pg_try_advisory_xact_lock_shared($1)
       AND pg_try_advisory_xact_lock($1 # hashtextextended('${query.schema}.claims', 0)) AS "isOurs"`,
    [lockId],
  );
  if (!lock?.isOurs) throw new StillInProgress();
  const [stored] = await query<StoredRecord>(
    `SELECT fingerprint, conclusion AS outcome FROM ${query.schema}.claims WHERE name = $1 AND created_at > $2`,
    [record.name, expiryCutoff],
  );
  if (stored) {
    const outcome = replayOutcome(stored, record);
    // The first commit may have missed its deadline while it waited for standbys. This empty write waits for the same standbys.
    await query(writeNothing);
    return outcome;
  }
  await quota.reserve(record, createRecordCounter(query));
  const outcome: StoredOutcome = await work(query).then(
    (result) => ({ result }),
    async (error) => {
      const refusal = toRefusedOutcome(error);
      if ((await query(ownChangesQuery)).length > 0) throw new LateRefusal(error);
      return refusal;
    },
  );
  if (!isStorable(outcome)) return outcome;
  await query(
    `INSERT INTO ${query.schema}.claims (name, fingerprint, conclusion, created_at, line) VALUES ($1, $2, $3, $4, $5)
     ${upsertClause(recordTable)}`,
    [record.name, record.fingerprint, serializeOutcome(outcome), record.at, familyIdOf(record)],
  );
  return outcome;
}

/** Returns a row if the transaction has changed rows: unlike a read, a change locks its table in this mode. */
const ownChangesQuery =
  "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND mode = 'RowExclusiveLock' LIMIT 1";

export function createRecordCounter(query: Query): RecordCounter {
  return {
    async count(family, after, limit) {
      const [walk, bounds] = walkByAge(query, family, after);
      const text = `SELECT count(*)::integer AS count FROM (SELECT 1 FROM ${walk} LIMIT ${limit}) AS kept`;
      const [row] = await query<{ count: number }>(text, bounds);
      return row?.count ?? 0;
    },
    async findOldest(family, after, offset) {
      const [walk, bounds] = walkByAge(query, family, after);
      const text = `SELECT created_at AS at FROM ${walk} LIMIT 1 OFFSET ${offset}`;
      const [row] = await query<{ at: string }>(text, bounds);
      return row && Number(row.at);
    },
  };
}

/** Returns SQL that walks from the oldest record along the only index with this order, like `walkIndex` in pages.ts. */
function walkByAge({ schema }: Query, family: number | undefined, after: number): [walk: string, bounds: number[]] {
  const from = `${schema}.claims, ${overestimatedRow} WHERE`;
  return family === undefined
    ? [`${from} created_at > $1 ORDER BY created_at`, [after]]
    : [`${from} (line, created_at) > ($1, $2) AND line <= $1 ORDER BY line, created_at`, [family, after]];
}

/** Deletes expired records, and dates records after `maxDate` to `now`, one batch of each. Returns true if more may remain. */
export async function deleteExpiredRecords(
  primary: Connection,
  now: number,
  expiryCutoff: number,
  maxDate: number,
): Promise<boolean> {
  return await primary.transaction(async (query) => {
    const batch = (condition: string) => `WHERE name = ANY (ARRAY(
         SELECT name FROM ${query.schema}.claims WHERE ${condition} ORDER BY created_at LIMIT ${deletionBatchSize} FOR UPDATE SKIP LOCKED
       )) RETURNING 1`;
    // A plan that was cached while there were few records would read all records for each batch.
    await query("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off");
    const deleted = await query(`DELETE FROM ${query.schema}.claims ${batch("created_at <= $1")}`, [expiryCutoff]);
    // Otherwise, records that a wrong clock has dated in the future would not expire before that date.
    const redateStatement = `UPDATE ${query.schema}.claims SET created_at = $1 ${batch("created_at > $2")}`;
    const redated = await query(redateStatement, [now, maxDate]);
    return deleted.length === deletionBatchSize || redated.length === deletionBatchSize;
  });
}

export async function countRecords(query: Query, now: number): Promise<RecordCounts> {
  const [counts = { kept: 0, expired: 0 }] = await query<RecordCounts>(
    `SELECT count(*) FILTER (WHERE created_at > $1)::float8 AS kept, count(*) FILTER (WHERE created_at <= $1)::float8 AS expired
     FROM ${query.schema}.claims`,
    [now - recordLifetimeMs],
  );
  return counts;
}
