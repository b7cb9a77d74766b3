import { claimLifetime, tidyingStep } from "../conclusion.ts";
import type { Connection } from "./connection.ts";

/** Returns whether there may be more. */
export async function forgetClaims(primary: Connection, now: number): Promise<boolean> {
  const rows = await primary.query(
    `DELETE FROM claims WHERE name IN (
       SELECT name FROM claims WHERE created_at <= $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [now - claimLifetime, tidyingStep],
  );
  return rows.length === tidyingStep;
}
