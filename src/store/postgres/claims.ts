import { farthestAheadMs } from "../../domain/clock.ts";
import { claimLifetime, tidyingStep } from "../conclusion.ts";
import type { Connection } from "./connection.ts";

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
