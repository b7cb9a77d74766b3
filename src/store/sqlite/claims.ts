import type { Database } from "bun:sqlite";
import type { Claim } from "../../domain/claim.ts";
import { farthestAheadMs } from "../../domain/clock.ts";
import {
  asRefusal,
  type Conclusion,
  claimLifetime,
  type KeptClaim,
  lineIdOf,
  recall,
  textOf,
  tidyingStep,
} from "../conclusion.ts";

/** A claim as the writer gets it: what can be sent from one thread to another. */
export type SentClaim = Omit<Claim, "onReplay">;

export interface Settlement {
  readonly conclusion: Conclusion;
  readonly isReplay: boolean;
}

/** Has the work done unless it was done under the same claim before, and keeps what came of it. */
export function prepareClaims(database: Database): (claim: SentClaim, work: () => Conclusion) => Settlement {
  const find = database.prepare<KeptClaim, [Uint8Array, number]>(
    "SELECT fingerprint, conclusion FROM claims WHERE name = ? AND created_at > ?",
  );
  const keep = database.prepare(
    "INSERT OR REPLACE INTO claims (name, fingerprint, conclusion, created_at, line) VALUES (?, ?, ?, ?, ?)",
  );
  return (claim, work) => {
    const kept = find.get(claim.name, claim.at - claimLifetime);
    if (kept) return settleAgain(kept, claim);
    const conclusion = work();
    keep.run(claim.name, claim.fingerprint, textOf(conclusion), claim.at, lineIdOf(claim));
    return { conclusion, isReplay: false };
  };
}

export function prepareClaimWrites(database: Database) {
  const forget = database.prepare(
    "DELETE FROM claims WHERE name IN (SELECT name FROM claims WHERE created_at <= ? ORDER BY created_at LIMIT ?)",
  );
  const redate = database.prepare(
    "UPDATE claims SET created_at = ?1 WHERE name IN (SELECT name FROM claims WHERE created_at > ?2 LIMIT ?3)",
  );
  return {
    /** Returns whether there may be more. */
    forgetClaims(now: number): boolean {
      const forgotten = forget.run(now - claimLifetime, tidyingStep).changes;
      // Those that a clock dated that was wrong would else be kept until that time has come.
      const redated = redate.run(now, now + farthestAheadMs, tidyingStep).changes;
      return forgotten === tidyingStep || redated === tidyingStep;
    },
  };
}

function settleAgain(kept: KeptClaim, claim: SentClaim): Settlement {
  try {
    return { conclusion: recall(kept, claim), isReplay: true };
  } catch (error) {
    return { conclusion: asRefusal(error), isReplay: false };
  }
}
