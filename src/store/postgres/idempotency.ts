import type { RecordCounter } from "../idempotency-quota.ts";
import { deletionBatchSize, recordLifetimeMs } from "../stored-outcome.ts";
import type { RecordCounts } from "../telemetry.ts";
import { oneTakenForMany } from "./pages.ts";
import type { Query } from "./query.ts";
import type { Connection } from "./servers/connection.ts";

/** Returns true if there may be more. */
export async function deleteExpiredRecords(
  primary: Connection,
  now: number,
  expiredAt: number,
  latest: number,
): Promise<boolean> {
  return await primary.transaction(async (query) => {
    await query(byIndexAlone);
    const forgotten = await query(
      `DELETE FROM ${query.schema}.claims WHERE name = ANY (ARRAY(
         SELECT name FROM ${query.schema}.claims WHERE created_at <= $1 ORDER BY created_at LIMIT ${deletionBatchSize} FOR UPDATE SKIP LOCKED
       )) RETURNING 1`,
      [expiredAt],
    );
    // Records that a wrong clock has dated in the future would otherwise be kept until that time.
    const redated = await query(
      `UPDATE ${query.schema}.claims SET created_at = $1 WHERE name = ANY (ARRAY(
         SELECT name FROM ${query.schema}.claims WHERE created_at > $2 ORDER BY created_at LIMIT ${deletionBatchSize} FOR UPDATE SKIP LOCKED
       )) RETURNING 1`,
      [now, latest],
    );
    return forgotten.length === deletionBatchSize || redated.length === deletionBatchSize;
  });
}

export async function countRecords(query: Query, now: number): Promise<RecordCounts> {
  const [row] = await query<{ kept: string; expired: string }>(
    `SELECT count(*) FILTER (WHERE created_at > $1) AS kept, count(*) FILTER (WHERE created_at <= $1) AS expired
     FROM ${query.schema}.claims`,
    [now - recordLifetimeMs],
  );
  return { kept: Number(row?.kept), expired: Number(row?.expired) };
}

/** A plan cached while the table was small would read the whole table at every step. */
const byIndexAlone = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";

export function recordCounter(query: Query): RecordCounter {
  return {
    async count(line, after, limit) {
      const [walk, bounds] = walkOf(query, line, after);
      const text = `SELECT count(*) AS count FROM (SELECT 1 FROM ${walk} LIMIT ${limit}) AS kept`;
      const [row] = await query<{ count: string }>(text, bounds);
      return Number(row?.count);
    },
    async findOldest(line, after, but) {
      const [walk, bounds] = walkOf(query, line, after);
      const text = `SELECT created_at FROM ${walk} LIMIT 1 OFFSET ${but}`;
      const [row] = await query<{ created_at: string }>(text, bounds);
      return row && Number(row.created_at);
    },
  };
}

/** Walks from the oldest record along the one index with this order, whatever the statistics say, as for pages. */
function walkOf({ schema }: Query, family: number | undefined, after: number): [walk: string, bounds: number[]] {
  const from = `${schema}.claims, ${oneTakenForMany} WHERE`;
  return family === undefined
    ? [`${from} created_at > $1 ORDER BY created_at`, [after]]
    : [`${from} (line, created_at) > ($1, $2) AND line <= $1 ORDER BY line, created_at`, [family, after]];
}
