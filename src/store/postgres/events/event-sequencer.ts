import { describeCause } from "../../../domain/errors.ts";
import type { Note } from "../../store.ts";
import { overestimatedRow, type Query, serverStartId } from "../query.ts";
import { lastAssigned } from "../schema/sequences.ts";
import type { Connection } from "../servers/connection.ts";
import { newestPosition } from "./event-rows.ts";

/**
 * Moves events from the inbox, whose numbers are not in commit order, into the event log, where events get consecutive positions. Only
 * one instance at a time makes a pass, which moves events, and commits each transaction before the next one begins, so every reader sees a
 * prefix of the later log. A commit that waits for a lost standby is not cancelled: cancelling would show events that a failover to the
 * standby would lose.
 */
export class EventSequencer {
  readonly #floorCheck: Timer;
  #state: State = "idle";
  /** True while the last append waits for a standby, as far as this instance knows. */
  #isBlocked = false;
  #hasFailed = false;
  #timer: Timer | undefined;
  #pass: Promise<void> | undefined;
  #permitCount = 0;
  #permitsReturned = Promise.withResolvers<void>();
  #requestCount = 0;
  #isInboxQuiet = false;
  #isFloorCheckDue = true;
  #pauseMs = minPauseMs;
  #server = "";
  #highestNumber = 0;
  /** Inbox number up to which all transactions that wrote events have ended, and all committed events were moved. */
  #floor = 0;
  /** The last number that the inbox had assigned at an earlier check, and the transactions that were writing to the inbox at that time. */
  #mark: { readonly upTo: number; readonly writers: ReadonlySet<string> } | undefined;

  constructor(
    private readonly primary: Connection,
    private readonly onSequenced: () => void,
    private readonly note: Note,
  ) {
    // Finds the events of an instance that ended right after its commit, and events that were committed late.
    this.#floorCheck = setInterval(() => {
      this.#isFloorCheckDue = true;
      this.#start();
    }, floorCheckIntervalMs);
  }

  /** Runs a statement that may append to the event log. Passes wait meanwhile, because a pass could make the statement fail. */
  async withPermit<Result>(append: (permit: AppendPermit | undefined) => Promise<Result>): Promise<Result> {
    const hasPermit = !this.#pass && !this.#isBlocked;
    if (hasPermit) this.#permitCount++;
    const permit = {
      floor: this.#floor,
      server: this.#server,
      requestCount: this.#requestCount,
      isInboxQuiet: this.#isInboxQuiet,
      isBlocked: () => this.#checkIfBlocked(),
    };
    try {
      return await append(hasPermit ? permit : undefined);
    } catch (error) {
      this.requestPass();
      throw error;
    } finally {
      if (hasPermit && --this.#permitCount === 0) this.#permitsReturned.resolve();
    }
  }

  /** Records the result of a statement. If the statement has emptied the inbox, cancels a pass that was requested earlier. */
  completeAppend(permit: AppendPermit | undefined, { isSequenced, highest }: AppendResult): void {
    if (!permit || !isSequenced) {
      this.requestPass();
      return;
    }
    this.#highestNumber = Math.max(this.#highestNumber, highest);
    this.onSequenced();
    if (permit.requestCount !== this.#requestCount) return;
    this.#isInboxQuiet = highest === 0;
    clearTimeout(this.#timer);
    if (this.#state === "scheduled") this.#state = "idle";
    if (this.#state === "moving, then again") this.#state = "moving";
  }

  readonly requestPass = (): void => {
    this.#requestCount++;
    this.#isInboxQuiet = false;
    if (this.#state === "moving") this.#state = "moving, then again";
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs);
  };

  async sequenceAll(): Promise<void> {
    while ((await this.#moveOnce(true)) === "more");
  }

  async close(): Promise<void> {
    const isPassDue = this.#state !== "idle";
    this.#state = "closed";
    clearInterval(this.#floorCheck);
    clearTimeout(this.#timer);
    await this.#pass;
    if (isPassDue && !this.#hasFailed && !this.#isBlocked) await this.sequenceAll().catch(() => {});
  }

  #start(): void {
    if (this.#state !== "idle" && this.#state !== "scheduled") return;
    clearTimeout(this.#timer);
    this.#state = "moving";
    this.#pass = this.#move().finally(() => {
      this.#pass = undefined;
      if (this.#state === "closed") return;
      const needsAnotherPass = this.#state === "moving, then again";
      this.#state = "idle";
      if (needsAnotherPass) this.requestPass();
    });
  }

  async #move(): Promise<void> {
    if (this.#permitCount > 0) {
      this.#permitsReturned = Promise.withResolvers();
      // A blocked statement must not delay all other events.
      await Promise.race([this.#permitsReturned.promise, Bun.sleep(maxPauseMs)]);
    }
    const startedAt = performance.now();
    let outcome: PassOutcome = "more";
    try {
      while (this.#state !== "closed" && outcome === "more") outcome = await this.#moveOnce(false);
    } catch (error) {
      this.#reportFailure(describeCause(error));
    }
    // The instance that holds the lock may have read the inbox before this instance's last commit, so another pass is needed.
    if (outcome === "busy" && this.#state === "moving") this.#state = "moving, then again";
    // A pause in proportion to the pass bounds the load. Moving the events that accumulate meanwhile costs little more than moving few.
    const pauseMs = outcome === "done" ? pausePerPass * (performance.now() - startedAt) : maxPauseMs;
    this.#pauseMs = Math.min(Math.max(minPauseMs, pauseMs), maxPauseMs);
  }

  async #moveOnce(shouldWait: boolean): Promise<PassOutcome> {
    const canCommitLate = async () => {
      this.#isBlocked = true;
      return true;
    };
    const pass = await this.primary.transaction(async (query) => {
      const [locked] = await query<{ isOurs: boolean; server: string; lastAssigned: string | null }>(
        lockQuery(query.schema, shouldWait),
      );
      if (!locked?.isOurs) return undefined;
      if (locked.server !== this.#server) {
        // A different, restored or crashed server may assign numbers again that this instance has already seen.
        this.#floor = this.#highestNumber = 0;
        this.#mark = undefined;
        this.#server = locked.server;
      }
      // A database user without rights on the sequence sees only the numbers of the events that were moved.
      const assigned = Number(locked.lastAssigned ?? this.#highestNumber);
      const writers = this.#isFloorCheckDue ? await findWriters(query) : undefined;
      return { assigned, writers, moved: await moveEvents(query, this.#floor) };
    }, canCommitLate);
    if (!pass) return "busy";
    const { assigned, writers, moved } = pass;
    // This pass got the lock, so a blocked append has ended. After another failure, only a pass that has written shows that commits work.
    if (this.#isBlocked || moved.count > 0) this.#hasFailed = this.#isBlocked = false;
    if (moved.count > 0) {
      this.#highestNumber = Math.max(this.#highestNumber, moved.highest);
      this.onSequenced();
    }
    if (moved.count === maxMovedAtOnce) return "more";
    if (writers) this.#checkFloor(assigned, writers);
    return "done";
  }

  /** Raises the floor to the mark once all writers of the mark have ended: this pass has moved every committed event up to the mark. */
  #checkFloor(assigned: number, writers: ReadonlySet<string>): void {
    if (this.#mark?.writers.isDisjointFrom(writers)) {
      this.#floor = Math.max(this.#floor, this.#mark.upTo);
      this.#mark = undefined;
    }
    this.#mark ??= { upTo: assigned, writers };
    this.#isFloorCheckDue = false;
  }

  /** Returns true if an append is blocked. Until the query ends and, if the result is true, until the next pass, there are no permits. */
  async #checkIfBlocked(): Promise<boolean> {
    this.#isBlocked = true;
    const { query, schema } = this.primary;
    const [row] = await query<{ isBlocked: boolean }>(appendBlockedQuery(schema)).catch(() => []);
    this.#isBlocked = row?.isBlocked ?? false;
    if (this.#isBlocked) this.#reportFailure("the last append waits for a standby");
    return this.#isBlocked;
  }

  #reportFailure(cause: string): void {
    if (!this.#hasFailed) this.note("warn", "events could not be moved into the log", { cause });
    this.#hasFailed = true;
  }
}

/** Phases of a pass. After a request during a pass, a second pass follows: the first may have read the inbox before the new event. */
type State = "idle" | "scheduled" | "moving" | "moving, then again" | "closed";

export interface AppendPermit {
  /** Every committed event up to this number has left the inbox of `server`. */
  readonly floor: number;
  readonly server: string;
  readonly requestCount: number;
  /** True if the inbox was empty when this instance last read it, and this instance has put nothing into it since then. */
  readonly isInboxQuiet: boolean;
  /** Returns true if an append to the event log waits for a standby. Called after a statement with the permit has missed its deadline. */
  isBlocked(): Promise<boolean>;
}

export interface AppendResult {
  /** True if the statement's own events are in the event log, and false if they are in the inbox. */
  readonly isSequenced: boolean;
  /** The highest inbox number of the events that the statement has moved into the event log; 0 if no event waited in the inbox. */
  readonly highest: number;
}

type PassOutcome = "more" | "done" | "busy";

function logLockKeys(schema: string): string {
  return `hashtext('animal-store events'), hashtext('${schema}.events')`;
}

/** Returns the first query of a pass, which also turns off sequential scans: a plan cached for an empty inbox would scan once per batch. */
function lockQuery(schema: string, shouldWait: boolean): string {
  const lock = shouldWait ? "true FROM pg_advisory_xact_lock" : "pg_try_advisory_xact_lock";
  return `SELECT (SELECT ${lock}(${logLockKeys(schema)})) AS "isOurs", set_config('enable_seqscan', 'off', true), ${serverStartId} AS server,
       ${lastAssigned(schema, "event_inbox", "number")} AS "lastAssigned"`;
}

/**
 * Returns the first part of a statement that may append to the event log. This part deletes the rows in `moved` from the inbox, and the
 * statement must append them first. If another instance appends between its snapshot and its lock, it violates the primary key.
 */
export function permitToAppend(schema: string, floor: string, server: string): string {
  // Deletes through the index, because a scan of the table would also read rows that were deleted and are not yet vacuumed.
  return `waiting AS MATERIALIZED (
       ${waitingNumbers(schema, floor, server)} LIMIT ${maxMovedByWrites} + 1
     ), ${permitIf(schema, `(SELECT count(*) FROM waiting) <= ${maxMovedByWrites}`)}, moved AS (
       DELETE FROM ${schema}.event_inbox
       WHERE (SELECT is_granted AND EXISTS (SELECT FROM waiting) FROM permit) AND number = ANY (ARRAY(SELECT number FROM waiting))
       RETURNING number, id, type, subject, at, body
     )`;
}

/** Returns the first part of a cheaper statement, which moves no events, and gets no permit if an event waits in the inbox. */
export function permitIfInboxEmpty(schema: string, floor: string, server: string): string {
  return permitIf(schema, `(${waitingNumbers(schema, floor, server)} LIMIT 1) IS NULL`);
}

function permitIf(schema: string, condition: string): string {
  return `permit AS MATERIALIZED (
       SELECT CASE WHEN ${condition} THEN pg_try_advisory_xact_lock(${logLockKeys(schema)}) ELSE false END AS is_granted,
         ${newestPosition(schema)} AS newest
     )`;
}

/** Returns SQL for the numbers of waiting events. The floor applies only on `server`: other servers may have assigned numbers again. */
function waitingNumbers(schema: string, floor: string, server: string): string {
  return `SELECT number FROM ${schema}.event_inbox, ${overestimatedRow}
       WHERE number > CASE ${serverStartId} WHEN ${server} THEN ${floor}::bigint ELSE 0 END ORDER BY number`;
}

export function waitForAppends(schema: string): string {
  return `SELECT pg_advisory_xact_lock_shared(${logLockKeys(schema)})`;
}

function appendBlockedQuery(schema: string): string {
  return `SELECT NOT pg_try_advisory_xact_lock_shared(${logLockKeys(schema)}) AND EXISTS (
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'
  ) AS "isBlocked"`;
}

/** Returns the transactions with uncommitted events in the inbox, which lock the table until they end. */
async function findWriters(query: Query): Promise<ReadonlySet<string>> {
  const rows = await query<{ writer: string }>(
    `SELECT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation = '${query.schema}.event_inbox'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(({ writer }) => writer));
}

/** Moves events. The caller holds the lock, so the snapshot has every append. Deletes by ctid: a cached plan by number is quadratic. */
async function moveEvents(query: Query, floor: number): Promise<{ count: number; highest: number }> {
  const [row] = await query<{ count: string; highest: string | null }>(
    `WITH newest AS (
       SELECT ${newestPosition(query.schema)} AS position
     ), moved AS (
       DELETE FROM ${query.schema}.event_inbox WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${query.schema}.event_inbox WHERE number > $1 ORDER BY number LIMIT ${maxMovedAtOnce}
       )) RETURNING number, id, type, subject, at, body
     ), appended AS (
       INSERT INTO ${query.schema}.events (position, size, id, type, subject, at, body)
       SELECT newest.position + row_number() OVER (ORDER BY number), 1, id, type, subject, at, body FROM moved, newest
     )
     SELECT count(*) AS count, max(number) AS highest FROM moved`,
    [floor],
  );
  return { count: Number(row?.count ?? 0), highest: Number(row?.highest ?? 0) };
}

const minPauseMs = 3;
const maxPauseMs = 100;
const pausePerPass = 10;
/** Interval at which the floor may rise, so that passes skip rows that were moved and are not yet vacuumed. */
const floorCheckIntervalMs = 1_000;
export const maxMovedAtOnce = 2_000;
const maxMovedByWrites = 640;
