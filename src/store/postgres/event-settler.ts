import type { Note } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { Query } from "./query.ts";

/**
 * Moves events from the inbox, whose numbers are not in the order of the commits, into the log, where they get consecutive
 * positions. One instance does so at a time, whichever comes first, and each transaction is committed before the next
 * begins: so what can be read of the log, on any server, is always a prefix of all that will ever be read.
 */
export class EventSettler {
  readonly #primary: Connection;
  readonly #onSettled: () => void;
  readonly #note: Note;
  readonly #lookAround: Timer;
  #timer: Timer | undefined;
  #settling: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;
  #hasFailed = false;
  /** The highest number that was moved. */
  #highest = 0;

  constructor(primary: Connection, onSettled: () => void, note: Note) {
    this.#primary = primary;
    this.#onSettled = onSettled;
    this.#note = note;
    // What an instance has written that ended right after its commit is left to the others, and so is what came late.
    this.#lookAround = setInterval(() => {
      this.#highest = 0;
      this.#settleInBackground();
    }, lookAroundMs);
  }

  /** Called after each commit that has an event. What comes within a moment is moved together. */
  soon(): void {
    if (this.#isClosed) return;
    if (this.#settling) this.#isAskedAgain = true;
    else this.#timer ??= setTimeout(() => this.#settleInBackground(), soonMs);
  }

  /** Returns once all that is there now has been moved, by whomever. */
  async settleAll(): Promise<void> {
    this.#highest = 0;
    while (await this.#settleSome(waitForLock));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#lookAround);
    const isLeft = this.#timer !== undefined || this.#settling !== undefined;
    clearTimeout(this.#timer);
    await this.#settling;
    // So that nobody has to wait for what happened last until another instance looks around.
    if (isLeft && !this.#hasFailed) await this.settleAll().catch(() => {});
  }

  #settleInBackground(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
      if (!this.#isAskedAgain) return;
      this.#isAskedAgain = false;
      this.soon();
    });
  }

  async #settle(): Promise<void> {
    try {
      while (!this.#isClosed && (await this.#settleSome(tryLock)));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#note("warn", "events could not be moved into the log", { cause: String(error) });
      this.#hasFailed = true;
    }
  }

  /** Returns whether there may be more. */
  async #settleSome(lockText: string): Promise<boolean> {
    const moved = await this.#primary.transaction(async (query) => {
      const [lock] = await query<{ isOurs: boolean | null }>(lockText);
      if (lock?.isOurs === false) return undefined;
      return await moveSome(query, Math.max(0, this.#highest - latestBy));
    });
    if (!moved || moved.count === 0) return false;
    this.#highest = Math.max(this.#highest, moved.highest);
    this.#onSettled();
    return moved.count === mostAtOnce;
  }
}

/** Of several instances one does it; the others need not wait. The lock ends with the transaction. */
const lock = "hashtext('animal-store events'), hashtext('store.events')";
const tryLock = `SELECT pg_try_advisory_xact_lock(${lock}) AS "isOurs"`;
const waitForLock = `SELECT pg_advisory_xact_lock(${lock}), NULL AS "isOurs"`;

/** A statement of its own after that of the lock, so that it sees what the last holder has committed. */
async function moveSome(query: Query, after: number): Promise<{ count: number; highest: number }> {
  const [row] = await query<{ count: string; highest: string | null }>(
    `WITH newest AS (
       SELECT coalesce(max(position), 0) AS position FROM store.events
     ), moved AS (
       DELETE FROM store.event_inbox WHERE number IN (
         SELECT number FROM store.event_inbox WHERE number > $1 ORDER BY number LIMIT ${mostAtOnce}
       ) RETURNING number, id, type, subject, at, body
     ), settled AS (
       INSERT INTO store.events (position, id, type, subject, at, body)
       SELECT newest.position + row_number() OVER (ORDER BY number), id, type, subject, at, body FROM moved, newest
     )
     SELECT count(*) AS count, max(number) AS highest FROM moved`,
    [after],
  );
  return { count: Number(row?.count ?? 0), highest: Number(row?.highest ?? 0) };
}

const soonMs = 3;
const lookAroundMs = 1_000;
const mostAtOnce = 2_000;
/**
 * How far the numbers of what is committed late may be behind, to be moved at once; what is even later is found by looking
 * around. Looking at all numbers each time would walk over everything that was moved and not yet cleaned up.
 */
const latestBy = 10_000;
