import { farthestAheadMs } from "../../domain/clock.ts";
import type { ClaimCounter } from "../claim-room.ts";
import { claimLifetime, tidyingStep } from "../conclusion.ts";
import type { Connection, Query } from "./connection.ts";

/** Returns whether there may be more. */
export async function forgetClaims(primary: Connection, now: number): Promise<boolean> {
  const forgotten = await primary.query(
    `DELETE FROM store.claims WHERE name IN (
       SELECT name FROM store.claims WHERE created_at <= $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [now - claimLifetime, tidyingStep],
  );
  // Those that a clock dated that was wrong would else be kept until that time has come.
  const redated = await primary.query(
    `UPDATE store.claims SET created_at = $1 WHERE name IN (
       SELECT name FROM store.claims WHERE created_at > $2 LIMIT $3 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [now, now + farthestAheadMs, tidyingStep],
  );
  return forgotten.length === tidyingStep || redated.length === tidyingStep;
}

/** As one transaction sees them. */
export function claimCounter(query: Query): ClaimCounter {
  return {
    async count(line, after, limit) {
      const [condition, bounds] = kept(line, after);
      const [row] = await query<{ count: string }>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM store.claims WHERE ${condition} LIMIT $1) AS kept`,
        [limit, ...bounds],
      );
      return Number(row?.count);
    },
    async oldest(line, after, but) {
      const [condition, bounds] = kept(line, after);
      const order = line === undefined ? "created_at" : "line, created_at";
      const [row] = await query<{ created_at: string }>(
        `SELECT created_at FROM store.claims WHERE ${condition} ORDER BY ${order} LIMIT 1 OFFSET $1`,
        [but, ...bounds],
      );
      return row && Number(row.created_at);
    },
  };
}

/** Written so that the planner is not tempted to look for those of a line among all by age. */
function kept(line: number | undefined, after: number): [condition: string, bounds: number[]] {
  return line === undefined
    ? ["created_at > $2", [after]]
    : ["(line, created_at) > ($3, $2) AND line <= $3", [after, line]];
}
