import type { Note } from "../../store.ts";
import { asReadError, unreachable } from "../errors.ts";
import type { Parameter, Query } from "../query.ts";
import type { Connection } from "./connection.ts";
import { type Position, positionOf } from "./position.ts";
import { type Asked, askEveryMs, type ReplicationWatch, trustMs } from "./replication.ts";
import { serverLife } from "./server-life.ts";

/** A server that reads may be sent to, and a connection of its own to ask how it is, which no read can keep busy. */
export interface StandbyConnections {
  readonly reads: StandbyConnection;
  readonly probe: StandbyConnection;
}

type StandbyConnection = Asked & Pick<Connection, "interruptions">;

/**
 * Sends reads to standbys that show everything that was acknowledged before the read began. While the primary is lost, nobody
 * can tell which do; then those that did so last are used, as long as none of them has become the primary.
 */
export class Replicas {
  readonly #primary: Pick<Connection, "query">;
  readonly #standbys: readonly Standby[];
  readonly #watch: ReplicationWatch;
  #turn = 0;

  constructor(
    primary: Pick<Connection, "query">,
    standbys: readonly StandbyConnections[],
    watch: ReplicationWatch,
    note: Note,
  ) {
    this.#primary = primary;
    this.#watch = watch;
    this.#standbys = standbys.map((connections) => new Standby(connections, watch, note));
  }

  /** Asks the standbys in turn, the next one if that fails, and the primary if none is fit. */
  readonly query: Query = async (text, parameters) => {
    let failure: unknown;
    for (const query of this.#sources()) {
      try {
        return await query(text, parameters);
      } catch (error) {
        failure = error;
      }
    }
    throw asReadError(failure);
  };

  /** How each of them is. */
  states(): StandbyState[] {
    return this.#standbys.map((standby) => standby.describe());
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  /** Each is looked for only when those before it have failed. */
  *#sources(): Iterable<Query> {
    for (const standby of this.#inTurn()) if (standby.isCurrent()) yield standby.query;
    if (!this.#watch.isLost) yield this.#primary.query;
    if (!this.#watch.isLost) return;
    yield* this.#lastKnown((standby) => !standby.hasFailed());
    // There is no other server to ask, so even one that has just failed is tried again.
    yield* this.#lastKnown((standby) => standby.hasFailed());
    yield this.#primary.query;
  }

  *#lastKnown(isWanted: (standby: Standby) => boolean): Iterable<Query> {
    for (const standby of this.#inTurn()) {
      const hasSuccessor = this.#standbys.some((other) => other.mayBePrimary());
      if (standby.isLastKnown() && isWanted(standby) && !hasSuccessor) yield standby.query;
    }
  }

  #inTurn(): Standby[] {
    const start = this.#turn++ % this.#standbys.length;
    return [...this.#standbys.slice(start), ...this.#standbys.slice(0, start)];
  }
}

/** One that takes writes is no standby now, and may have been or become one. */
export const standbyStates = ["trusted", "untrusted", "primary", "lost"] as const;

export interface StandbyState {
  readonly server: string;
  readonly state: (typeof standbyStates)[number];
  /** Behind what the primary had written when it was last asked, if that is known. */
  readonly lagBytes: number | undefined;
}

class Standby {
  readonly #connections: StandbyConnections;
  readonly #watch: ReplicationWatch;
  readonly #note: Note;
  readonly #timer: Timer;
  #probing: Promise<void> | undefined;
  #name = "";
  /** When it was last asked how it is, and answered. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isReachable = false;
  #isInRecovery = false;
  #replayed: Position = 0n;
  /** Changes when the server starts, and when it recovers from a crash of one of its processes. */
  #life = "";
  #interruptions = 0;
  /** When it may last have been restarted: then it answers before it has replayed again all that it had shown. */
  #restartedAt = Number.NEGATIVE_INFINITY;
  /** Until when it shows what is acknowledged, if it has not failed since. */
  #currentUntil = Number.NEGATIVE_INFINITY;
  /** Whether it was fit when the primary was last there to tell. */
  #wasFit = false;
  /** What was last noted of it. */
  #noted = "";

  constructor(connections: StandbyConnections, watch: ReplicationWatch, note: Note) {
    this.#connections = connections;
    this.#watch = watch;
    this.#note = note;
    this.#timer = setInterval(() => {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }, askEveryMs);
  }

  /** Throws ServiceError; then it gets no reads until it has been asked how it is. */
  readonly query: Query = async <Row>(text: string, parameters?: readonly Parameter[]) => {
    const before = this.#interruptionsUntilNow;
    try {
      const rows = await this.#connections.reads.query<Row>(text, parameters);
      if (this.#interruptionsUntilNow === before) return rows;
      throw unreachable(`${this.#connections.reads.server}: it may have been restarted meanwhile`, false);
    } catch (error) {
      this.#failedAt = this.#watch.stopwatch();
      throw error;
    }
  };

  /** Whether it shows all that was acknowledged until now. */
  isCurrent(): boolean {
    return !this.hasFailed() && this.#watch.stopwatch() < this.#currentUntil && this.#watch.isEstablished(this.#name);
  }

  /** Whether it did when the primary was lost, and answers. */
  isLastKnown(): boolean {
    return this.#wasFit && this.#isInRecovery && this.#isSeen();
  }

  /** Whether a read has failed, or a connection was lost, since it was last asked how it is. */
  hasFailed(): boolean {
    return this.#failedAt >= this.#seenAt || this.#interruptions !== this.#interruptionsUntilNow;
  }

  /** Whether it is, for all that is known, a server that takes writes. */
  mayBePrimary(): boolean {
    return this.#isReachable && !(this.#isInRecovery && this.#isSeen());
  }

  describe(): StandbyState {
    const { latest, isLost } = this.#watch;
    const isStandby = this.#isReachable && this.#isInRecovery;
    const behind = isStandby && latest && !isLost ? Number(latest.written - this.#replayed) : undefined;
    return {
      server: this.#connections.reads.server,
      state: this.#state(),
      // It may have been asked later than the primary.
      lagBytes: behind === undefined ? undefined : Math.max(0, behind),
    };
  }

  #state(): StandbyState["state"] {
    if (!this.#isReachable) return "lost";
    if (!this.#isInRecovery) return "primary";
    return this.isCurrent() ? "trusted" : "untrusted";
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
    await Promise.all([this.#connections.reads.close(), this.#connections.probe.close()]);
  }

  get #interruptionsUntilNow(): number {
    return this.#connections.reads.interruptions + this.#connections.probe.interruptions;
  }

  #isSeen(): boolean {
    return this.#watch.stopwatch() < this.#seenAt + trustMs;
  }

  async #probe(): Promise<void> {
    const askedAt = this.#watch.stopwatch();
    const interruptions = this.#interruptionsUntilNow;
    try {
      const [row] = await this.#connections.probe.query<ProbeRow>(probeQuery);
      const life = row?.life ?? "";
      if (interruptions !== this.#interruptions || life !== this.#life) {
        this.#restartedAt = askedAt;
        this.#currentUntil = Number.NEGATIVE_INFINITY;
      }
      this.#interruptions = interruptions;
      this.#life = life;
      this.#name = row?.name ?? "";
      this.#isInRecovery = row?.isInRecovery ?? false;
      this.#isReachable = true;
      this.#seenAt = askedAt;
      this.#replayed = positionOf(row?.replayed ?? "0/0");
      this.#judge(this.#replayed);
    } catch (error) {
      this.#isReachable = false;
      this.#currentUntil = Number.NEGATIVE_INFINITY;
      if (!this.#watch.isLost) this.#wasFit = false;
      const { message, cause = message } = error as Error;
      this.#tell("a standby is lost", String(cause));
    }
  }

  #judge(replayed: Position): void {
    const isKnown = this.#watch.latest !== undefined && !this.#watch.isLost;
    if (this.#isInRecovery && !isKnown) return;
    const reason = this.#reasonAgainst();
    const currentAt = this.#watch.currentAt(replayed) ?? Number.NEGATIVE_INFINITY;
    // What was acknowledged before a restart, because it was shown then, is part of all that was written after it.
    this.#wasFit = reason === "" && currentAt > this.#restartedAt;
    this.#currentUntil = this.#wasFit ? currentAt + trustMs : Number.NEGATIVE_INFINITY;
    if (reason !== "") this.#tell("a standby gets no reads", reason);
    else if (!this.#watch.isEstablished(this.#name)) return;
    else if (this.#wasFit) this.#tell("a standby gets reads", "");
    else this.#tell("a standby gets no reads", "it has not caught up with what was saved before");
  }

  /** Why commits may be acknowledged that it does not show; nothing if that is not so. */
  #reasonAgainst(): string {
    if (!this.#isInRecovery) return "it is no standby: it takes writes";
    if (this.#name === "") return "it has no cluster_name";
    const known = this.#watch.latest?.standbys.get(this.#name);
    if (!known) return `the primary has no standby with its cluster_name, ${this.#name}`;
    return known.reason;
  }

  /** An unchanged state was logged already; the reason why a server cannot be reached varies. */
  #tell(message: string, reason: string): void {
    const isLoss = message === "a standby is lost";
    const news = isLoss ? message : `${message}: ${reason}`;
    if (news === this.#noted) return;
    this.#noted = news;
    const { server } = this.#connections.reads;
    if (reason === "") this.#note("info", message, { server });
    else this.#note("warn", message, { server, reason });
  }
}

const probeQuery = `
  SELECT current_setting('cluster_name') AS name, pg_is_in_recovery() AS "isInRecovery",
         pg_last_wal_replay_lsn() AS replayed,
         ${serverLife} AS life`;

interface ProbeRow {
  readonly name: string;
  readonly isInRecovery: boolean;
  readonly replayed: string | null;
  readonly life: string;
}
