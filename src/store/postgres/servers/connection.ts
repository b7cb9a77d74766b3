import type { SQL } from "bun";
import type { Stopwatch } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { ServiceError } from "../../../domain/errors.ts";
import type { Note, StoreWatch, TimeSpent } from "../../store.ts";
import type { WriteMetrics } from "../../watch.ts";
import { hasMoved, isDisconnected, isTooMany, toFailure, toServiceError, unreachable } from "../errors.ts";
import type { Parameter, Query } from "../query.ts";
import { openPool, type Pool, type ServerRole, serverOf } from "./open-pool.ts";
import { PoolSize } from "./pool-size.ts";
import { cancelMilliseconds, DeadlineMissed, PoolUse } from "./pool-use.ts";
import { type Position, positionOf } from "./position.ts";

export interface ConnectionSettings {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly poolSize: number;
  /** Of several servers, the one that takes writes is the primary; a standby is not asked what it is. */
  readonly role: ServerRole;
  /** How long one use may take, if not as long as a request can wait. */
  readonly limitMilliseconds?: number | undefined;
  /** How long the server may take for one step of a use that may last longer, because others are waited for in between. */
  readonly stepMilliseconds?: number | undefined;
  /** Whether a transaction is committed only once the synchronous standbys show it. */
  readonly isAppliedOnStandbys?: boolean;
  /** Is given a position in the log shortly before that of a commit. The transaction returns only after this has. */
  readonly acknowledge?: ((position: Position) => Promise<void>) | undefined;
  /** Where the primary was found last, by any of the pools that share this. */
  readonly found?: { server?: string };
  /** Called when the server had no connection left for a use that began at that time. */
  onTooMany?(begunAt: number): void;
  /** By which a pool that had to make do with fewer connections waits for more. */
  readonly stopwatch?: Stopwatch | undefined;
  readonly note: Note;
  /** By what its statements are watched, and its transactions, if they are. */
  readonly watch?: StoreWatch | undefined;
  readonly transactions?: WriteMetrics | undefined;
}

/**
 * Asked about a commit that misses its deadline: whether it is left to the server, which ends it when it can. A commit that waits
 * for a standby is shown to everybody as soon as it is cancelled, though it is lost if the standby becomes the primary.
 */
export type IsLeft = () => Promise<boolean>;

/**
 * A pool of connections to the server that accepts writes. Every use has a deadline; a statement that misses it is cancelled
 * on the server, unless it is left to it. If it is, if even cancelling does not help, or if the server has lost its role, the pool
 * is replaced by a new one, on whichever server has the role then.
 */
export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #limitMs: number;
  readonly #begin: string;
  readonly #qualified = new Map<string, string>();
  #pool: Promise<Pool> | undefined;
  #connected: Pool | undefined;
  #openedAt = Number.NEGATIVE_INFINITY;
  readonly #size: PoolSize;
  #lastServer: string | undefined;
  #hasNotedLoss = false;
  #uses = 0;
  #timesLeft = 0;
  #timesClosed = 0;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#size = new PoolSize(settings.poolSize, settings.stopwatch ?? (() => performance.now()));
    const { limitMilliseconds, role } = settings;
    this.#limitMs = limitMilliseconds ?? (role === "primary" ? primaryMilliseconds : standbyMilliseconds);
    const begin = [
      // Whatever the database or the user has as its default.
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      // A machine that is gone with all its connections must not keep its locks until the server notices, which may take hours.
      `SET LOCAL idle_in_transaction_session_timeout = ${2 * this.#limitMs}`,
    ];
    if (settings.isAppliedOnStandbys) begin.push("SET LOCAL synchronous_commit = remote_apply");
    this.#begin = begin.join("; ");
  }

  /** The server that was used last, or that would be tried first. */
  get server(): string {
    return this.#lastServer ?? serverOf(this.#settings.urls[0] ?? "");
  }

  /** How many connections are in use. More uses than there are connections wait, or share one. */
  get inUse(): number {
    return Math.min(this.#uses, this.#size.current);
  }

  get waiting(): number {
    return this.#uses - this.inUse;
  }

  /** How often its pool was replaced. */
  get timesLeft(): number {
    return this.#timesLeft;
  }

  /** How often a connection ended that nobody here had closed, as all of them do when the server is restarted. */
  get interruptions(): number {
    return this.#timesClosed + this.#timesLeft;
  }

  /** Throws ServiceError. */
  readonly query = <Row>(text: string, parameters: readonly Parameter[] = [], isLeft?: IsLeft): Promise<Row[]> =>
    this.#use(({ sql }, use) => use.runAndCommit(sql, this.#qualify(text), parameters), isLeft);

  /** Throws ServiceError; then nothing of it was done, unless the error says that this is not known. */
  async transaction<Result>(
    work: (query: Query) => Promise<Result>,
    isLeft?: IsLeft,
    time?: TimeSpent,
  ): Promise<Result> {
    const { acknowledge, transactions } = this.#settings;
    const askedAt = performance.now();
    const { result, position } = await this.#use(async ({ sql }, use) => {
      const session = await use.step(sql.reserve());
      const begunAt = performance.now();
      transactions?.waited(begunAt - askedAt);
      if (time) time.queueMs += begunAt - askedAt;
      try {
        await use.run(session, this.#begin);
        const result = await work((text, parameters) => use.run(session, this.#qualify(text), parameters));
        const [rows] = await use.runAndCommit<CommitRow[]>(session, acknowledge ? commitWithPosition : commit);
        transactions?.committed(1, performance.now() - begunAt);
        return { result, position: rows?.[0]?.position };
      } catch (error) {
        await session.unsafe("ROLLBACK").catch(() => {});
        throw error;
      } finally {
        session.release();
      }
    }, isLeft);
    if (acknowledge && position != null) await acknowledge(positionOf(position));
    return result;
  }

  /**
   * Goes on with half of the connections, so that others get some. What lacked one since before this pool was opened says nothing
   * of it.
   */
  shrink(lackedSince: number): void {
    if (!this.#pool || !this.#connected || lackedSince < this.#openedAt || !this.#size.halve()) return;
    this.#timesLeft++;
    this.#replace(this.#pool, graceSeconds);
    this.#noteReplaced(`too many connections: at most ${this.#size.current} from now on`);
  }

  async close(): Promise<void> {
    this.#connected = undefined;
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.sql.close({ timeout: 1 });
  }

  async #use<Result>(work: (pool: Pool, use: PoolUse) => Promise<Result>, isLeft?: IsLeft): Promise<Result> {
    const begunAt = performance.now();
    this.#growIfDue();
    this.#pool ??= this.#connect();
    const pool = this.#pool;
    const { watch, stepMilliseconds } = this.#settings;
    const use = new PoolUse(watch, stepMilliseconds);
    this.#uses++;
    const working = use
      .step(pool)
      .then((connected) => work(connected, use))
      .finally(() => {
        this.#uses--;
      });
    try {
      const result = await withDeadline(
        this.#limitMs,
        use.unlessLate(working),
        () => new DeadlineMissed(this.#limitMs),
      );
      this.#hasNotedLoss = false;
      return result;
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        const isCommitLeft = use.mayHaveCommitted && isLeft ? isTrueSoon(isLeft()) : undefined;
        this.#giveUp(pool, use, working, isCommitLeft, error.message);
        throw unreachable(`${this.server}: ${error.message}`, use.mayHaveCommitted);
      }
      // A refusal of our own rules, which has ended the transaction.
      if (error instanceof ServiceError) throw error;
      const failure = toFailure(error, this.server);
      if (hasMoved(failure) || isDisconnected(failure)) this.#leave(pool, graceSeconds, failure.message);
      if (isTooMany(failure)) this.#settings.onTooMany?.(begunAt);
      throw toServiceError(failure, use.mayHaveCommitted);
    }
  }

  async #giveUp(
    pool: Promise<Pool>,
    use: PoolUse,
    working: Promise<unknown>,
    isCommitLeft: Promise<boolean> | undefined,
    reason: string,
  ): Promise<void> {
    if (isCommitLeft && (await isCommitLeft)) this.#leave(pool, graceSeconds, reason);
    else if (!(await use.giveUp(working))) this.#leave(pool, 0, reason);
  }

  /** Those that are busy finish in the pool that they began in. */
  #growIfDue(): void {
    if (!this.#size.restoreIfDue()) return;
    if (this.#pool) this.#replace(this.#pool, graceSeconds);
    const news = "the connection pool may have its full size again";
    this.#settings.note("info", news, { server: this.server, size: this.#size.current });
  }

  async #connect(): Promise<Pool> {
    const { urls, role, found = {}, note } = this.#settings;
    this.#openedAt = performance.now();
    try {
      const pool = await openPool({
        urls,
        role,
        size: this.#size.current,
        onClosed: (sql, error) => this.#onClosed(sql, error),
      });
      if (found.server !== undefined && found.server !== pool.server) {
        note("warn", "the primary has moved", { from: found.server, to: pool.server });
      }
      found.server = this.#lastServer = pool.server;
      this.#connected = pool;
      return pool;
    } catch (error) {
      this.#pool = undefined;
      throw error;
    }
  }

  /** A server that has become a standby has closed all connections first. A pool would open them again without asking. */
  #onClosed(sql: SQL, error: unknown): void {
    if (!this.#pool || this.#connected?.sql !== sql) return;
    this.#timesClosed++;
    const failure = toFailure(error, this.server);
    if (this.#settings.role === "primary" && isDisconnected(failure))
      this.#leave(this.#pool, graceSeconds, failure.message);
  }

  #leave(pool: Promise<Pool>, seconds: number, reason: string): void {
    if (this.#pool === pool) {
      this.#timesLeft++;
      this.#noteLoss(reason);
    }
    this.#replace(pool, seconds);
  }

  /** The next use opens a new one. */
  #replace(pool: Promise<Pool>, seconds: number): void {
    if (this.#pool === pool) {
      this.#pool = undefined;
      this.#connected = undefined;
    }
    pool.then(({ sql }) => sql.close({ timeout: seconds })).catch(() => {});
  }

  /** Once for a server that stays away. For standbys, `Replicas` does so. */
  #noteLoss(reason: string): void {
    if (this.#settings.role === "primary" && !this.#hasNotedLoss) this.#noteReplaced(reason);
    this.#hasNotedLoss = true;
  }

  #noteReplaced(reason: string): void {
    this.#settings.note("warn", "the connection pool was replaced", { server: this.server, reason });
  }

  /** There are few texts, and each is reused. */
  #qualify(text: string): string {
    let qualified = this.#qualified.get(text);
    if (qualified === undefined) {
      qualified = text.replace(/\bstore\./g, `"${this.#settings.schema}".`);
      this.#qualified.set(text, qualified);
    }
    return qualified;
  }
}

function isTrueSoon(answer: Promise<boolean>): Promise<boolean> {
  return withDeadline(cancelMilliseconds, answer, () => new DeadlineMissed(cancelMilliseconds)).catch(() => false);
}

/** A standby is given up sooner, so that there is time left to ask the primary instead. */
export const primaryMilliseconds = 4_000;
const standbyMilliseconds = 1_000;
/** For statements in progress in a pool that is replaced. */
const graceSeconds = 5;

const commit = "COMMIT";
/** Without an id, a transaction has changed nothing, and its commit waits for no standby. */
const commitWithPosition = `
  SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN NULL ELSE pg_current_wal_insert_lsn() END AS position;
  COMMIT`;

interface CommitRow {
  readonly position: string | null;
}
