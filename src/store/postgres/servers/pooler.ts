import { ServiceError } from "../../../domain/errors.ts";
import { StoreOpenError } from "../../store.ts";
import { StatementLost } from "../errors.ts";
import type { Connection } from "./connection.ts";

/**
 * Requires that prepared statements stay with the connection that has prepared them. A pooler that hands the server's connections to
 * its clients in turn, and does not keep their statements apart, would have one client run the statements of another. The connections
 * must not have prepared anything, so that they give their statements the same names. Throws StoreOpenError.
 */
export async function requireOwnStatements(one: Connection, other: Connection): Promise<void> {
  const [ofOne, ofOther] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < maxRounds; round++) {
    ofOne.add(await answeringProcess(one, "one", round));
    ofOther.add(await answeringProcess(other, "other", round));
    // Either one of the server's processes has answered both of them rightly, or each has one to itself.
    if (!ofOne.isDisjointFrom(ofOther)) return;
    if (round >= minRounds && ofOne.size === 1 && ofOther.size === 1) return;
  }
}

/** Requires that transactions work, and are as durable as they are meant to be. Throws StoreOpenError. */
export async function requireTransactions(connection: Connection, isAppliedOnStandbys: boolean): Promise<void> {
  const setting = "SELECT current_setting('synchronous_commit') AS durability";
  const [row] = await connection
    .transaction((query) => query<{ durability: string }>(setting))
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError) || !/statement pooling/.test(String(error.cause))) throw error;
      throw new StoreOpenError(
        "The pooler in front of PostgreSQL is in statement mode, which does not support transactions. Set its pool_mode to transaction or session.",
      );
    });
  if (!isAppliedOnStandbys || row?.durability === "remote_apply") return;
  throw new StoreOpenError(
    `--replica needs SET LOCAL synchronous_commit to work, but what is in front of PostgreSQL leaves it at ${row?.durability}: a client might not find on a standby what it has just been told was saved. Connect without it, or leave out --replica.`,
  );
}

/** Rounds after which a pooler has shown itself: an idle one hands on the connection that was used last. */
const minRounds = 4;
/** Rounds that are enough for a pooler that takes all of its connections in turn. */
const maxRounds = 100;

/** Returns the id of the server's process that has run a statement which only this side has prepared. */
async function answeringProcess({ query }: Connection, side: string, round: number): Promise<number> {
  const text = `SELECT '${side} ' || $1 AS answer, pg_backend_pid() AS pid`;
  const [row] = await query<{ answer: string; pid: number }>(text, [String(round)]).catch((error: unknown) => {
    throw isLost(error) ? statementsAreLost() : error;
  });
  if (row?.answer !== `${side} ${round}`) throw statementsAreLost();
  return row.pid;
}

/** A statement of another client with other parameters has no SQLSTATE of its own, only a message. */
function isLost(error: unknown): boolean {
  return (
    error instanceof StatementLost || (error instanceof ServiceError && /prepared statement/.test(String(error.cause)))
  );
}

function statementsAreLost(): StoreOpenError {
  return new StoreOpenError(
    "The pooler in front of PostgreSQL loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0, or its session mode.",
  );
}
