import type { SQL } from "bun";
import type { Stopwatch } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { ServiceError } from "../../../domain/errors.ts";
import type { Note, StoreTelemetry, TimeSpent } from "../../store.ts";
import type { WriteMetrics } from "../../telemetry.ts";
import { hasMoved, isDisconnected, isTooMany, toFailure, toServiceError, unreachable } from "../errors.ts";
import { type Position, positionOf, type Query, queryIn } from "../query.ts";
import { openPool, type Pool, type ServerRole, serverOf } from "./open-pool.ts";
import { PoolSize } from "./pool-size.ts";
import { cancelMilliseconds, DeadlineMissed, PoolUse } from "./pool-use.ts";

export interface ConnectionSettings {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly poolSize: number;
  /** The primary is the server that takes writes; whether a server for the role of a standby is one is not checked. */
  readonly role: ServerRole;
  /** Deadline of each use. */
  readonly limitMilliseconds?: number | undefined;
  /** Deadline of the server for each step of a long use, in which other parties are waited for between the steps. */
  readonly stepMilliseconds?: number | undefined;
  /** True if a transaction is committed only once the synchronous standbys show it. */
  readonly isAppliedOnStandbys?: boolean;
  /** Called with a WAL position shortly before that of a commit. The transaction returns only after this has. */
  readonly acknowledge?: ((position: Position) => Promise<void>) | undefined;
  /** The last known primary of all pools that share this object. */
  readonly found?: { server?: string };
  /** Called when the server had no connection left for a use that began at that time. */
  onTooMany?(begunAt: number): void;
  readonly stopwatch?: Stopwatch | undefined;
  readonly note: Note;
  readonly watch?: StoreTelemetry | undefined;
  readonly transactions?: WriteMetrics | undefined;
}

/**
 * Decides whether a commit that misses its deadline is left to the server, which ends it when it can. If a commit that waits for a
 * standby is cancelled, every client sees it at once, though it is lost if the standby becomes the primary.
 */
export type IsLeft = () => Promise<boolean>;

/**
 * A pool of connections to the server that accepts writes. Every use has a deadline; a statement that misses it is cancelled
 * on the server. The pool is replaced by a new one, on the server that has the role then, if the statement is left to the server,
 * if cancelling has no effect, or if the server has lost its role.
 */
export class Connection {
  readonly schema: string;
  readonly query: Query;
  readonly #limitMs: number;
  readonly #begin: string;
  readonly #size: PoolSize;
  #pool: OpenPool | undefined;
  #lastServer: string | undefined;
  #hasNotedLoss = false;
  #uses = 0;
  #timesLeft = 0;
  #timesClosed = 0;

  constructor(private readonly settings: ConnectionSettings) {
    const { schema, poolSize, role, stopwatch = () => performance.now(), isAppliedOnStandbys } = settings;
    this.#size = new PoolSize(poolSize, stopwatch);
    this.#limitMs = settings.limitMilliseconds ?? (role === "primary" ? primaryMilliseconds : standbyMilliseconds);
    this.#begin = [
      // The database or the user may have another default.
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      // A machine that is gone with all its connections must not keep its locks until the server notices, which may take hours.
      `SET LOCAL idle_in_transaction_session_timeout = ${2 * this.#limitMs}`,
      ...(isAppliedOnStandbys ? ["SET LOCAL synchronous_commit = remote_apply"] : []),
    ].join("; ");
    this.schema = `"${schema}"`;
    this.query = this.queryLeaving(undefined);
  }

  /** The server that was used last, or that would be tried first. */
  get server(): string {
    return this.#lastServer ?? serverOf(this.settings.urls[0] ?? "");
  }

  /** Connections in use. Further uses wait, or share one. */
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

  /** How often a connection ended that this program had not closed, as all of them do when the server is restarted. */
  get interruptions(): number {
    return this.#timesClosed + this.#timesLeft;
  }

  /** Returns a function that runs single statements and throws ServiceError. */
  queryLeaving(isLeft: IsLeft | undefined): Query {
    return queryIn(this.schema, (text, parameters = []) =>
      this.#use(({ sql }, use) => use.runAndCommit(sql, text, parameters), isLeft),
    );
  }

  /** Throws ServiceError; then nothing of it was done, unless the error says that this is not known. */
  async transaction<Result>(
    work: (query: Query) => Promise<Result>,
    isLeft?: IsLeft,
    time?: TimeSpent,
  ): Promise<Result> {
    const { acknowledge, transactions } = this.settings;
    const askedAt = performance.now();
    const { result, position } = await this.#use(async ({ sql }, use) => {
      const session = await use.step(sql.reserve());
      const begunAt = performance.now();
      transactions?.observeWait(begunAt - askedAt);
      if (time) time.queueMs += begunAt - askedAt;
      try {
        await use.run(session, this.#begin);
        const result = await work(queryIn(this.schema, (text, parameters) => use.run(session, text, parameters)));
        const [rows] = await use.runAndCommit<CommitRow[]>(session, acknowledge ? commitWithPosition : commit);
        transactions?.observeCommit(1, performance.now() - begunAt);
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
   * Continues with half of the connections, so that other pools get some. A lack that began before this pool was opened says
   * nothing about its size.
   */
  shrink(lackedSince: number): void {
    const pool = this.#pool;
    if (!pool?.sql || lackedSince < pool.openedAt || !this.#size.halve()) return;
    this.#timesLeft++;
    this.#replace(pool, graceSeconds);
    this.#noteReplaced(`too many connections: at most ${this.#size.current} from now on`);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    if (pool) pool.sql = undefined;
    await pool?.opening.then(({ sql }) => sql.close({ timeout: 1 })).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #use<Result>(work: (pool: Pool, use: PoolUse) => Promise<Result>, isLeft?: IsLeft): Promise<Result> {
    const begunAt = performance.now();
    this.#growIfDue();
    this.#pool ??= this.#connect();
    const pool = this.#pool;
    const { watch, stepMilliseconds } = this.settings;
    const use = new PoolUse(watch, stepMilliseconds);
    this.#uses++;
    const working = use
      .step(pool.opening)
      .then((connected) => work(connected, use))
      .finally(() => {
        this.#uses--;
      });
    try {
      const late = () => new DeadlineMissed(this.#limitMs);
      const result = await withDeadline(this.#limitMs, use.unlessLate(working), late);
      this.#hasNotedLoss = false;
      return result;
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        this.#giveUp(pool, use, working, use.mayHaveCommitted ? isLeft : undefined, error.message);
        throw unreachable(`${this.server}: ${error.message}`, use.mayHaveCommitted);
      }
      // A refusal of the store's own rules, which has ended the transaction.
      if (error instanceof ServiceError) throw error;
      const failure = toFailure(error, this.server);
      if (hasMoved(failure) || isDisconnected(failure)) this.#leave(pool, graceSeconds, failure.message);
      if (isTooMany(failure)) this.settings.onTooMany?.(begunAt);
      throw toServiceError(failure, use.mayHaveCommitted);
    }
  }

  async #giveUp(
    pool: OpenPool,
    use: PoolUse,
    working: Promise<unknown>,
    isLeft: IsLeft | undefined,
    reason: string,
  ): Promise<void> {
    const late = () => new DeadlineMissed(cancelMilliseconds);
    if (isLeft && (await withDeadline(cancelMilliseconds, isLeft(), late).catch(() => false))) {
      this.#leave(pool, graceSeconds, reason);
    } else if (!(await use.giveUp(working))) this.#leave(pool, 0, reason);
  }

  /** Statements in progress finish in the pool that they began in. */
  #growIfDue(): void {
    if (!this.#size.restoreIfDue()) return;
    if (this.#pool) this.#replace(this.#pool, graceSeconds);
    const news = "the connection pool may have its full size again";
    this.settings.note("info", news, { server: this.server, size: this.#size.current });
  }

  #connect(): OpenPool {
    const { urls, role } = this.settings;
    const onClosed = (sql: SQL, error: unknown) => this.#onClosed(sql, error);
    const opening = openPool({ urls, role, size: this.#size.current, onClosed });
    const pool: OpenPool = { opening, openedAt: performance.now(), sql: undefined };
    opening.then(
      ({ sql, server }) => {
        pool.sql = sql;
        this.#noteFound(server);
      },
      () => {
        if (this.#pool === pool) this.#pool = undefined;
      },
    );
    return pool;
  }

  #noteFound(server: string): void {
    const { found = {}, note } = this.settings;
    if (found.server !== undefined && found.server !== server) {
      note("warn", "the primary has moved", { from: found.server, to: server });
    }
    found.server = this.#lastServer = server;
  }

  /** A server that becomes a standby closes all connections first. A pool would open them again without checking the role. */
  #onClosed(sql: SQL, error: unknown): void {
    const pool = this.#pool;
    if (pool?.sql !== sql) return;
    this.#timesClosed++;
    const failure = toFailure(error, this.server);
    if (this.settings.role === "primary" && isDisconnected(failure)) this.#leave(pool, graceSeconds, failure.message);
  }

  #leave(pool: OpenPool, seconds: number, reason: string): void {
    if (this.#pool === pool) {
      this.#timesLeft++;
      // Once for a server that stays away. `Replicas` notes the loss of a standby.
      if (this.settings.role === "primary" && !this.#hasNotedLoss) this.#noteReplaced(reason);
      this.#hasNotedLoss = true;
    }
    this.#replace(pool, seconds);
  }

  /** The next use opens a new pool. */
  #replace(pool: OpenPool, seconds: number): void {
    if (this.#pool === pool) this.#pool = undefined;
    pool.opening.then(({ sql }) => sql.close({ timeout: seconds })).catch(() => {});
  }

  #noteReplaced(reason: string): void {
    this.settings.note("warn", "the connection pool was replaced", { server: this.server, reason });
  }
}

interface OpenPool {
  readonly opening: Promise<Pool>;
  readonly openedAt: number;
  /** Undefined before it is open, and once it is being closed. */
  sql: SQL | undefined;
}

/** The deadline of a standby is shorter, so that there is time left to ask the primary instead. */
export const primaryMilliseconds = 4_000;
const standbyMilliseconds = 1_000;
/** For statements in progress in a pool that is replaced. */
const graceSeconds = 5;

const commit = "COMMIT";
/** Without a transaction id, a transaction has changed nothing, and its commit waits for no standby. */
const commitWithPosition = `
  SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN NULL ELSE pg_current_wal_insert_lsn() END AS position;
  COMMIT`;

interface CommitRow {
  readonly position: string | null;
}
