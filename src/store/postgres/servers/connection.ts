import type { SQL } from "bun";
import type { Stopwatch } from "../../../base/clock.ts";
import { ServiceError } from "../../../domain/errors.ts";
import type { Note, StoreTelemetry, TimeSpent } from "../../store.ts";
import type { WriteMetrics } from "../../telemetry.ts";
import {
  isDisconnected,
  readOnlyState,
  toFailure,
  tooManyConnectionsState,
  toServiceError,
  unreachableError,
} from "../errors.ts";
import { createQuery, parseWalPosition, type Query, type WalPosition } from "../query.ts";
import { openPool, type Pool, type ServerRole, serverOf } from "./open-pool.ts";
import { type CanCommitLate, DeadlineMissed, PoolUse, within } from "./pool-use.ts";

export interface ConnectionSettings {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly poolSize: number;
  /** The primary is the server that accepts writes. Any server can have the role of a standby. */
  readonly role: ServerRole;
  /** Appears in the `application_name` of the connections. */
  readonly purpose?: string;
  readonly limitMilliseconds?: number | undefined;
  /** Deadline for each response of the server, for uses that also wait for a client, such as exports. */
  readonly stepMilliseconds?: number | undefined;
  readonly shouldWaitForStandbys?: boolean;
  /** Called after a commit, with a WAL position shortly before it. The transaction returns after the promise has resolved. */
  readonly acknowledge?: ((position: WalPosition) => Promise<void>) | undefined;
  readonly lastPrimary?: { server?: string };
  onTooManyConnections?(begunAt: number): void;
  readonly stopwatch?: Stopwatch | undefined;
  readonly note: Note;
  readonly telemetry?: StoreTelemetry | undefined;
  readonly writeMetrics?: WriteMetrics | undefined;
}

export type Transact = Connection["transaction"];

/**
 * A pool of connections to the server with the given role. Every use has a deadline; a statement that misses it is cancelled on the
 * server. If a commit is left to the server, cancelling has no effect, or the server has lost its role, a new pool replaces the pool.
 */
export class Connection {
  readonly schema: string;
  readonly query: Query;
  readonly shouldWaitForStandbys: boolean;
  replacementCount = 0;
  readonly #limitMs: number;
  readonly #beginStatements: string;
  readonly #stopwatch: Stopwatch;
  #size: number;
  #shrunkAt = 0;
  #pool: PoolEntry | undefined;
  #lastServer: string | undefined;
  #isLossLogged = false;
  #useCount = 0;
  #closedCount = 0;

  constructor(private readonly settings: ConnectionSettings) {
    const { schema, poolSize, role, stopwatch = () => performance.now(), shouldWaitForStandbys = false } = settings;
    this.shouldWaitForStandbys = shouldWaitForStandbys;
    this.#size = poolSize;
    this.#stopwatch = stopwatch;
    this.#limitMs = settings.limitMilliseconds ?? (role === "primary" ? defaultPrimaryLimitMs : defaultStandbyLimitMs);
    this.#beginStatements = [
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      // Without a timeout, the server might keep the locks of a lost machine for hours.
      `SET LOCAL idle_in_transaction_session_timeout = ${2 * this.#limitMs}`,
      ...(shouldWaitForStandbys ? ["SET LOCAL synchronous_commit = remote_apply"] : []),
    ].join("; ");
    this.schema = `"${schema}"`;
    this.query = this.queryWith(undefined);
  }

  get server(): string {
    return this.#lastServer ?? serverOf(this.settings.urls[0] ?? "");
  }

  /** Number of connections in use. Further uses wait, or share a connection. */
  get inUseCount(): number {
    return Math.min(this.#useCount, this.#size);
  }

  get waitingCount(): number {
    return this.#useCount - this.inUseCount;
  }

  /** Increases whenever the server closes a connection or the pool is replaced, as after a restart of the server. */
  get interruptionCount(): number {
    return this.#closedCount + this.replacementCount;
  }

  queryWith(canCommitLate: CanCommitLate | undefined): Query {
    return createQuery(this.schema, (text, parameters = []) =>
      this.#use(({ sql }, use) => use.runAndCommit(sql, text, parameters), canCommitLate),
    );
  }

  async transaction<Result>(
    work: (query: Query) => Promise<Result>,
    canCommitLate?: CanCommitLate,
    time?: TimeSpent,
  ): Promise<Result> {
    const { acknowledge, writeMetrics } = this.settings;
    const requestedAt = performance.now();
    const { result, position } = await this.#use(async ({ sql }, use) => {
      const session = await use.step(sql.reserve());
      const begunAt = performance.now();
      writeMetrics?.waitSeconds.observe((begunAt - requestedAt) / 1000);
      if (time) time.queueMs += begunAt - requestedAt;
      try {
        await use.run(session, this.#beginStatements);
        const result = await work(createQuery(this.schema, (text, parameters) => use.run(session, text, parameters)));
        const [rows] = await use.runAndCommit<CommitRows>(session, acknowledge ? commitWithPosition : "COMMIT");
        writeMetrics?.observeCommit(1, performance.now() - begunAt);
        return { result, position: rows?.[0]?.position };
      } catch (error) {
        await session.unsafe("ROLLBACK").catch(() => {});
        throw error;
      } finally {
        session.release();
      }
    }, canCommitLate);
    if (acknowledge && position != null) await acknowledge(parseWalPosition(position));
    return result;
  }

  /** Halves the pool for `shrinkMs`, so that other pools get connections. Ignores a shortage from before the pool was opened. */
  shrink(shortSince: number): void {
    const pool = this.#pool;
    if (!pool?.sql || shortSince < pool.openedAt) return;
    this.#shrunkAt = this.#stopwatch();
    if (this.#size === 1) return;
    this.#size = Math.ceil(this.#size / 2);
    this.replacementCount++;
    this.#replace(pool);
    this.#noteReplaced(`too many connections: at most ${this.#size} from now on`);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    if (pool) pool.sql = undefined;
    await pool?.opening.then(({ sql }) => sql.close({ timeout: 1 })).catch(() => {});
  }

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  async #use<Result>(
    work: (pool: Pool, use: PoolUse) => Promise<Result>,
    canCommitLate: CanCommitLate | undefined,
  ): Promise<Result> {
    const begunAt = performance.now();
    this.#growIfDue();
    this.#pool ??= this.#open();
    const pool = this.#pool;
    const use = new PoolUse(this.settings.telemetry, this.settings.stepMilliseconds, canCommitLate);
    this.#useCount++;
    const working = use
      .step(pool.opening)
      .then((opened) => work(opened, use))
      .finally(() => {
        this.#useCount--;
      });
    try {
      const result = await within(this.#limitMs, use.withStepDeadline(working));
      this.#isLossLogged = false;
      return result;
    } catch (error) {
      if (error instanceof DeadlineMissed) {
        this.#endLate(pool, use, working, error.message);
        throw unreachableError(`${this.server}: ${error.message}`, use.mayHaveCommitted);
      }
      if (error instanceof ServiceError) throw error;
      const failure = toFailure(error, this.server);
      if (failure.state === readOnlyState || isDisconnected(failure)) this.#abandon(pool, failure.message);
      if (failure.state === tooManyConnectionsState) this.settings.onTooManyConnections?.(begunAt);
      throw toServiceError(failure, use.mayHaveCommitted);
    }
  }

  async #endLate(pool: PoolEntry, use: PoolUse, working: Promise<unknown>, reason: string): Promise<void> {
    const ending = await use.end(working);
    if (ending !== "ended") this.#abandon(pool, reason, ending === "committing" ? graceSeconds : 0);
  }

  #growIfDue(): void {
    const { poolSize } = this.settings;
    if (this.#size === poolSize || this.#stopwatch() - this.#shrunkAt < shrinkMs) return;
    this.#size = poolSize;
    if (this.#pool) this.#replace(this.#pool);
    const message = "the connection pool may have its full size again";
    this.settings.note("info", message, { server: this.server, size: this.#size });
  }

  #open(): PoolEntry {
    const { urls, role } = this.settings;
    const opening = openPool(urls, role, this.#size, this.settings.purpose ?? "command", (sql, error) =>
      this.#onClosed(sql, error),
    );
    const pool: PoolEntry = { opening, openedAt: performance.now(), sql: undefined };
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
    const { lastPrimary = {}, note } = this.settings;
    const from = lastPrimary.server;
    if (from !== undefined && from !== server) note("warn", "the primary has moved", { from, to: server });
    lastPrimary.server = this.#lastServer = server;
  }

  /** Replaces the pool. A primary that becomes a standby closes its connections, and the driver would reopen them without a check. */
  #onClosed(sql: SQL, error: unknown): void {
    const pool = this.#pool;
    if (pool?.sql !== sql) return;
    this.#closedCount++;
    const failure = toFailure(error, this.server);
    if (this.settings.role === "primary" && isDisconnected(failure)) this.#abandon(pool, failure.message);
  }

  #abandon(pool: PoolEntry, reason: string, seconds = graceSeconds): void {
    if (this.#pool === pool) {
      this.replacementCount++;
      // Logged once per loss of the primary. `Replicas` logs the loss of a standby.
      if (this.settings.role === "primary" && !this.#isLossLogged) this.#noteReplaced(reason);
      this.#isLossLogged = true;
    }
    this.#replace(pool, seconds);
  }

  #replace(pool: PoolEntry, seconds = graceSeconds): void {
    if (this.#pool === pool) this.#pool = undefined;
    pool.opening.then(({ sql }) => sql.close({ timeout: seconds })).catch(() => {});
  }

  #noteReplaced(reason: string): void {
    this.settings.note("warn", "the connection pool was replaced", { server: this.server, reason });
  }
}

interface PoolEntry {
  readonly opening: Promise<Pool>;
  readonly openedAt: number;
  sql: SQL | undefined;
}

export const shrinkMs = 10 * 60_000;
export const defaultPrimaryLimitMs = 4_000;
const defaultStandbyLimitMs = 1_000;
const graceSeconds = 5;

type CommitRows = readonly { readonly position: string | null }[];

/** A transaction without an id has changed nothing, and its commit waits for no standby, so its position is NULL. */
const commitWithPosition = `
  SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN NULL ELSE pg_current_wal_insert_lsn() END AS position;
  COMMIT`;
