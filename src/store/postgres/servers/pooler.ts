import { ServiceError } from "../../../domain/errors.ts";
import { StoreOpenError } from "../../store.ts";
import type { Connection } from "./connection.ts";

/** Requires that a pooler does not mix up the prepared statements of two new connections. Throws StoreOpenError. */
export async function requireSeparateStatements(one: Connection, other: Connection): Promise<void> {
  const [pidsOfOne, pidsOfOther] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < maxRounds; round++) {
    pidsOfOne.add(await requireOwnResult(one, "one", round));
    pidsOfOther.add(await requireOwnResult(other, "other", round));
    // Ends once one process of the server has served both connections correctly, or each connection has a process to itself.
    if (!pidsOfOne.isDisjointFrom(pidsOfOther)) return;
    if (round >= minRounds && pidsOfOne.size === 1 && pidsOfOther.size === 1) return;
  }
}

/** Requires that transactions work, and are as durable as configured. Throws StoreOpenError. */
export async function requireTransactions(connection: Connection): Promise<void> {
  const settingQuery = "SELECT current_setting('synchronous_commit') AS durability";
  const [row] = await connection
    .transaction((query) => query<{ durability: string }>(settingQuery))
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError) || !/statement pooling/.test(String(error.cause))) throw error;
      throw new StoreOpenError(
        "The pooler in front of PostgreSQL is in statement mode, which does not support transactions. Set its pool_mode to transaction or session.",
      );
    });
  if (!connection.shouldWaitForStandbys || row?.durability === "remote_apply") return;
  throw new StoreOpenError(
    `--replica needs SET LOCAL synchronous_commit to work, but a pooler or proxy in front of PostgreSQL leaves it at ${row?.durability}: a client might not find on a standby what was just saved. Connect without the pooler, or leave out --replica.`,
  );
}

/** Enough rounds to detect a pooler that has no other clients, and so always reuses its last connection. */
const minRounds = 4;
/** Enough rounds to detect a pooler that uses all of its connections in turn. */
const maxRounds = 100;

/** Runs a prepared statement that has the same name on both connections. Returns the id of the server's process. */
async function requireOwnResult({ query }: Connection, side: string, round: number): Promise<number> {
  const text = `SELECT '${side} ' || $1 AS answer, pg_backend_pid() AS pid`;
  const [row] = await query<{ answer: string; pid: number }>(text, [String(round)]).catch((error: unknown) => {
    if (error instanceof ServiceError && lostStatementPattern.test(String(error.cause))) return [];
    throw error;
  });
  if (row?.answer === `${side} ${round}`) return row.pid;
  throw new StoreOpenError(
    "The pooler in front of PostgreSQL loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0, or its session mode.",
  );
}

const lostStatementPattern = /: (26000|42P05): |prepared statement/;
