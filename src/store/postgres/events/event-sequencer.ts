import { describeCause } from "../../../domain/errors.ts";
import type { Note } from "../../store.ts";
import { oneTakenForMany } from "../pages.ts";
import { type Query, serverLife } from "../query.ts";
import { lastGiven } from "../schema/sequences.ts";
import type { Connection } from "../servers/connection.ts";
import { newestPosition } from "./event-rows.ts";

/**
 * Moves events from the inbox, whose numbers are not in the order of the commits, into the log, where they get consecutive positions.
 * One instance does so at a time, and each transaction is committed before the next begins: so what can be read of the log, on any
 * server, is always a prefix of all that will ever be read. A commit that waits for a lost standby is therefore not cancelled, which
 * would show events that are lost if the standby becomes the primary.
 */
export class EventSequencer {
  readonly #primary: Connection;
  readonly #onSequenced: () => void;
  readonly #note: Note;
  readonly #recheck: Timer;
  #state: State = "idle";
  /** True while what was appended last still waits for a standby, as far as is known. */
  #isHeldUp = false;
  #hasFailed = false;
  #timer: Timer | undefined;
  #pass: Promise<void> | undefined;
  /** How many statements have a turn, and what is waiting for their end. */
  #turnCount = 0;
  #whenTurnsEnd: PromiseWithResolvers<void> | undefined;
  #requestCount = 0;
  #isQuiet = false;
  #isFloorCheckDue = true;
  #pauseMs = soonMs;
  #server = "";
  /** The highest number that this instance has moved. */
  #highest = 0;
  /** Every transaction with this number or a lower one has ended, and its event was moved if it was committed. */
  #floor = 0;
  #mark: Mark | undefined;

  constructor(primary: Connection, onSequenced: () => void, note: Note) {
    this.#primary = primary;
    this.#onSequenced = onSequenced;
    this.#note = note;
    // Finds the events of an instance that ended right after its commit, and those that were committed late.
    this.#recheck = setInterval(() => {
      this.#isFloorCheckDue = true;
      this.#start();
    }, recheckMs);
  }

  /**
   * Lets a statement move the events of the inbox itself (`turnToSequence`). There is no turn during a pass, and no pass begins during
   * a turn: a pass that ended after the statement has begun and before it has the lock would make the statement fail.
   */
  async takeTurn<Result>(work: (turn: Turn | undefined) => Promise<Result>): Promise<Result> {
    if (this.#pass || this.#isHeldUp) return await work(undefined);
    this.#turnCount++;
    try {
      return await work({
        floor: this.#floor,
        server: this.#server,
        requestCount: this.#requestCount,
        isQuiet: this.#isQuiet,
        isHeldUp: () => this.#askIfHeldUp(),
      });
    } finally {
      if (--this.#turnCount === 0) this.#whenTurnsEnd?.resolve();
    }
  }

  /** Called after such a statement has moved everything that was committed before it began: a pass is needed only for what came since. */
  hasSequenced({ requestCount }: Turn, highest: number): void {
    this.#highest = Math.max(this.#highest, highest);
    this.#onSequenced();
    if (requestCount !== this.#requestCount) return;
    this.#isQuiet = highest === 0;
    clearTimeout(this.#timer);
    if (this.#state === "scheduled") this.#state = "idle";
    if (this.#state === "moving, then again") this.#state = "moving";
  }

  /** Called after each commit that has an event in the inbox. Events that come within a moment are moved together. */
  soon(): void {
    this.#requestCount++;
    this.#isQuiet = false;
    if (this.#state === "moving") this.#state = "moving, then again";
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs);
  }

  /** Returns once all events that are in the inbox now have been moved, by any instance. */
  async sequenceAll(): Promise<void> {
    while ((await this.#moveOnce(waitForLock)) === "more");
  }

  async close(): Promise<void> {
    const isLeft = this.#state !== "idle";
    this.#state = "closed";
    clearInterval(this.#recheck);
    clearTimeout(this.#timer);
    await this.#pass;
    // Otherwise the last events would wait until another instance rechecks.
    if (isLeft && !this.#hasFailed && !this.#isHeldUp) await this.sequenceAll().catch(() => {});
  }

  #start(): void {
    if (this.#state !== "idle" && this.#state !== "scheduled") return;
    clearTimeout(this.#timer);
    this.#state = "moving";
    this.#pass = this.#move().finally(() => {
      this.#pass = undefined;
      if (this.#state === "closed") return;
      const isAgain = this.#state === "moving, then again";
      this.#state = "idle";
      if (isAgain) this.soon();
    });
  }

  async #move(): Promise<void> {
    if (this.#turnCount > 0) {
      this.#whenTurnsEnd = Promise.withResolvers();
      // One that is held up must not hold up the events of all others.
      await Promise.race([this.#whenTurnsEnd.promise, Bun.sleep(maxPauseMs)]);
    }
    const startedAt = performance.now();
    let outcome: Outcome = "more";
    try {
      while (this.#state !== "closed" && outcome === "more") outcome = await this.#moveOnce(tryLock);
    } catch (error) {
      this.#reportFailure(describeCause(error));
    }
    // The instance that has the lock may have read the inbox before our last commit.
    if (outcome === "busy" && this.#state === "moving") this.#state = "moving, then again";
    // Moving many at once costs hardly more than moving few: the longer a pass takes, the longer the pause before the next.
    const pauseMs = outcome === "done" ? pausesPerPass * (performance.now() - startedAt) : maxPauseMs;
    this.#pauseMs = Math.min(Math.max(soonMs, pauseMs), maxPauseMs);
  }

  async #moveOnce(lockFor: (schema: string) => string): Promise<Outcome> {
    const leaveCommit = async () => {
      this.#isHeldUp = true;
      return true;
    };
    const pass = await this.#primary.transaction(async (query) => {
      const [locked] = await query<Locked>(lockFor(query.schema));
      if (!locked || locked.isOurs === false) return undefined;
      if (locked.server !== this.#server) {
        // Another server, or one that was restored or has crashed, may give numbers again that this instance has seen.
        this.#floor = this.#highest = 0;
        this.#mark = undefined;
        this.#server = locked.server;
      }
      const given = Number(locked.given ?? this.#highest);
      const look = this.#isFloorCheckDue ? this.#look(given, await writersOf(query)) : undefined;
      return { look, moved: await moveSome(query, this.#floor) };
    }, leaveCommit);
    if (!pass) return "busy";
    const { look, moved } = pass;
    // Only a commit that had something to wait for shows that commits go through again.
    if (this.#isHeldUp || moved.count > 0) this.#hasFailed = this.#isHeldUp = false;
    if (moved.count > 0) {
      this.#highest = Math.max(this.#highest, moved.highest);
      this.#onSequenced();
    }
    if (moved.count === maxAtOnce) return "more";
    if (look) {
      this.#floor = Math.max(this.#floor, look.floor);
      this.#mark = look.mark;
      this.#isFloorCheckDue = false;
    }
    return "done";
  }

  /** There are no turns during the query, nor until the log can be appended to again if the result is true. */
  async #askIfHeldUp(): Promise<boolean> {
    this.#isHeldUp = true;
    const [row] = await this.#primary.query<{ isHeldUp: boolean }>(appendHeldUp(this.#primary.schema)).catch(() => []);
    this.#isHeldUp = row?.isHeldUp ?? false;
    if (this.#isHeldUp) this.#reportFailure("what was appended last waits for a standby");
    return this.#isHeldUp;
  }

  #reportFailure(cause: string): void {
    if (!this.#hasFailed) this.#note("warn", "events could not be moved into the log", { cause });
    this.#hasFailed = true;
  }

  /**
   * What the floor will be after a pass that begins now. Whoever had a number when the mark was set, and had not ended, was
   * among its writers: once none of those is left, this pass sees everything up to the mark.
   */
  #look(given: number, writers: ReadonlySet<string>): { floor: number; mark: Mark } {
    const mark = { upTo: given, writers };
    if (!this.#mark) return { floor: this.#floor, mark };
    const isPassed = this.#mark.writers.isDisjointFrom(writers);
    return isPassed ? { floor: this.#mark.upTo, mark } : { floor: this.#floor, mark: this.#mark };
  }
}

/**
 * A pass is requested ("scheduled") and then made ("moving"). A request during a pass leads to another pass, because the events may have
 * been committed after the inbox was read.
 */
type State = "idle" | "scheduled" | "moving" | "moving, then again" | "closed";

export interface Turn {
  /** Everything up to this number that was committed has left the inbox of this server. */
  readonly floor: number;
  readonly server: string;
  /** How often a pass had been requested. */
  readonly requestCount: number;
  /** True if nothing was in the inbox the last time, and this instance has put nothing into it since. */
  readonly isQuiet: boolean;
  /** Asked after a statement with the turn has missed its deadline: true if an append to the log waits for a standby. */
  isHeldUp(): Promise<boolean>;
}

/** Up to which number the inbox had given numbers, and who was writing to it right after. */
interface Mark {
  readonly upTo: number;
  readonly writers: ReadonlySet<string>;
}

/** There may be more to move, there was no more, or another instance was moving. */
type Outcome = "more" | "done" | "busy";

interface Locked {
  readonly isOurs: boolean | null;
  readonly server: string;
  /** Null for a user who may not see which numbers were given. */
  readonly given: string | null;
}

/** Of several instances one does it; the others need not wait. The lock ends with the transaction. */
function lockOf(schema: string): string {
  return `hashtext('animal-store events'), hashtext('${schema}.events')`;
}

/** A plan that was made while the inbox was empty would go through all of it for each step. */
const byIndexes = "set_config('enable_seqscan', 'off', true)";
/** After a crash, a server gives those numbers again that were not yet in its log on disk. */
function factsOf(schema: string): string {
  return `${byIndexes}, ${serverLife} AS server, ${lastGiven(schema, "event_inbox", "number")} AS given`;
}

function tryLock(schema: string): string {
  return `SELECT pg_try_advisory_xact_lock(${lockOf(schema)}) AS "isOurs", ${factsOf(schema)}`;
}

function waitForLock(schema: string): string {
  return `SELECT NULL AS "isOurs", ${factsOf(schema)} FROM pg_advisory_xact_lock(${lockOf(schema)})`;
}

/**
 * The beginning of a statement that may append to the log itself. `turn` is a row that says so, `is_ours`, and the position of
 * the `newest` event; what was in the inbox has then been deleted there, is in `moved`, and comes first. If another instance
 * appends in between, the statement breaks the rule that a position is given once.
 */
export function turnToSequence(schema: string, floor: string, server: string): string {
  // By the index, because all that was deleted may still be in the table, and without a look at that where nothing waits.
  return `waiting AS MATERIALIZED (
       SELECT number FROM ${schema}.event_inbox, ${oneTakenForMany}
       WHERE number > ${floorOn(server, floor)} ORDER BY number LIMIT ${maxInPassing} + 1
     ), turn AS MATERIALIZED (
       SELECT CASE WHEN (SELECT count(*) FROM waiting) > ${maxInPassing} THEN false
         ELSE pg_try_advisory_xact_lock(${lockOf(schema)}) END AS is_ours,
         ${newestPosition(schema)} AS newest
     ), moved AS (
       DELETE FROM ${schema}.event_inbox
       WHERE (SELECT is_ours AND EXISTS (SELECT FROM waiting) FROM turn) AND number = ANY (ARRAY(SELECT number FROM waiting))
       RETURNING number, id, type, subject, at, body
     )`;
}

/** The same for a statement that is cheaper because it does not move anything: if something waits, it is not its turn. */
export function turnInQuiet(schema: string, floor: string, server: string): string {
  return `turn AS MATERIALIZED (
       SELECT CASE WHEN (
           SELECT number FROM ${schema}.event_inbox, ${oneTakenForMany}
           WHERE number > ${floorOn(server, floor)} ORDER BY number LIMIT 1
         ) IS NULL THEN pg_try_advisory_xact_lock(${lockOf(schema)}) ELSE false END AS is_ours,
         ${newestPosition(schema)} AS newest
     )`;
}

/** The statement may reach another server than the one whose floor it is. */
function floorOn(server: string, floor: string): string {
  return `CASE ${serverLife} WHEN ${server} THEN ${floor}::bigint ELSE 0 END`;
}

/** Returns once all that was being appended to the log has been, or has failed. */
export function appendsEnded(schema: string): string {
  return `SELECT pg_advisory_xact_lock_shared(${lockOf(schema)})`;
}

/** Whoever appends has the lock to the end of its commit. */
function appendHeldUp(schema: string): string {
  return `SELECT NOT pg_try_advisory_xact_lock_shared(${lockOf(schema)}) AND EXISTS (
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'
  ) AS "isHeldUp"`;
}

/** The transactions that have events in the inbox which nobody else sees yet: all keep a lock of the table to their end. */
async function writersOf(query: Query): Promise<ReadonlySet<string>> {
  const rows = await query<{ writer: string }>(
    `SELECT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation = '${query.schema}.event_inbox'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(({ writer }) => writer));
}

/**
 * A statement of its own after that of the lock, so that it sees what the last holder has committed. Rows are deleted by where they
 * are, which nobody else changes: a plan by their numbers that was made while the inbox was empty would compare each with each.
 */
async function moveSome(query: Query, above: number): Promise<{ count: number; highest: number }> {
  const [row] = await query<{ count: string; highest: string | null }>(
    `WITH newest AS (
       SELECT ${newestPosition(query.schema)} AS position
     ), moved AS (
       DELETE FROM ${query.schema}.event_inbox WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${query.schema}.event_inbox WHERE number > $1 ORDER BY number LIMIT ${maxAtOnce}
       )) RETURNING number, id, type, subject, at, body
     ), appended AS (
       INSERT INTO ${query.schema}.events (position, size, id, type, subject, at, body)
       SELECT newest.position + row_number() OVER (ORDER BY number), 1, id, type, subject, at, body FROM moved, newest
     )
     SELECT count(*) AS count, max(number) AS highest FROM moved`,
    [above],
  );
  return { count: Number(row?.count ?? 0), highest: Number(row?.highest ?? 0) };
}

const soonMs = 3;
const maxPauseMs = 100;
const pausesPerPass = 10;
/**
 * Each time, the floor rises: looking at all numbers would walk over everything that was moved and not yet cleaned up, and
 * looking only at the latest would move an event before an earlier one of the same animal that was committed late.
 */
const recheckMs = 1_000;
export const maxAtOnce = 2_000;
/** So few that whoever moves them on the way is hardly later for it. */
const maxInPassing = 640;
