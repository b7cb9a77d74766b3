import type { Note } from "../../store.ts";
import { asReadError, unreachable } from "../errors.ts";
import { type Parameter, type Position, positionOf, type Run, serverLife } from "../query.ts";
import { type Asked, askEveryMs, type ReplicationWatch, trustMs } from "./replication.ts";

/** A server that serves reads, and a connection of its own for probes, which reads cannot keep busy. */
export interface StandbyConnections {
  readonly reads: StandbyConnection;
  readonly probe: StandbyConnection;
}

type StandbyConnection = Asked & { readonly interruptions: number };

/**
 * Sends reads to standbys that show every write that was acknowledged before the read began. While the primary is lost, no server
 * can tell which standbys do; then those that last did are used, as long as none of them has become the primary.
 */
export class Replicas {
  readonly #standbys: readonly Standby[];
  #turn = 0;

  constructor(
    private readonly primary: { readonly query: Run },
    standbys: readonly StandbyConnections[],
    private readonly watch: ReplicationWatch,
    note: Note,
  ) {
    this.#standbys = standbys.map((connections) => new Standby(connections, watch, note));
  }

  /** Asks the standbys in turn, the next one if that fails, and the primary if none is fit. */
  readonly query: Run = async (text, parameters) => {
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

  states(): StandbyState[] {
    return this.#standbys.map((standby) => standby.describe());
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  /** Evaluates the conditions of each source only after those before it have failed. */
  *#sources(): Iterable<Run> {
    for (const standby of this.#inTurn()) if (standby.isCurrent()) yield standby.query;
    if (!this.watch.isLost) yield this.primary.query;
    if (!this.watch.isLost) return;
    // There is no other server to ask, so even a standby that has just failed is tried again at the end.
    for (const hasFailed of [false, true]) {
      for (const standby of this.#inTurn()) {
        const hasSuccessor = this.#standbys.some((other) => other.mayBePrimary());
        if (standby.isLastKnown() && standby.hasFailed() === hasFailed && !hasSuccessor) yield standby.query;
      }
    }
    yield this.primary.query;
  }

  #inTurn(): Standby[] {
    const start = this.#turn++ % this.#standbys.length;
    return [...this.#standbys.slice(start), ...this.#standbys.slice(0, start)];
  }
}

/** A server that takes writes is no standby now, and may have been or become one. */
export const standbyStates = ["trusted", "untrusted", "primary", "lost"] as const;

export interface StandbyState {
  readonly server: string;
  readonly state: (typeof standbyStates)[number];
  /** Behind what the primary had written when it was last asked, if that is known. */
  readonly lagBytes: number | undefined;
}

/**
 * A server's fitness for reads follows from its last answer and the samples of the primary. The rest is what those cannot tell:
 * failures since that answer, a restart, after which a standby answers before it has replayed again all that it had shown, and
 * its fitness when the primary was lost.
 */
class Standby {
  readonly #timer: Timer;
  #probing: Promise<void> | undefined;
  #isReachable = false;
  #lastAnswer: Answer = {
    askedAt: Number.NEGATIVE_INFINITY,
    interruptions: 0,
    name: "",
    isInRecovery: false,
    replayed: 0n,
    life: "",
  };
  #failedAt = Number.NEGATIVE_INFINITY;
  #restartedAt = Number.NEGATIVE_INFINITY;
  #wasFit = false;
  #noted = "";

  constructor(
    private readonly connections: StandbyConnections,
    private readonly watch: ReplicationWatch,
    private readonly note: Note,
  ) {
    this.#timer = setInterval(() => {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }, askEveryMs);
  }

  /** Throws ServiceError; then the standby gets no reads before it has answered a probe. */
  readonly query: Run = async <Row>(text: string, parameters?: readonly Parameter[]) => {
    const before = this.#interruptions;
    try {
      const rows = await this.connections.reads.query<Row>(text, parameters);
      if (this.#interruptions === before) return rows;
      throw unreachable(`${this.connections.reads.server}: it may have been restarted meanwhile`, false);
    } catch (error) {
      this.#failedAt = this.watch.stopwatch();
      throw error;
    }
  };

  /** True if it shows every write that was acknowledged until now. */
  isCurrent(): boolean {
    return (
      this.#isReachable &&
      !this.hasFailed() &&
      this.#reasonAgainst() === "" &&
      this.watch.stopwatch() < this.#currentAt() + trustMs &&
      this.watch.isEstablished(this.#lastAnswer.name)
    );
  }

  /** True if it was fit when the primary was lost, and answers. */
  isLastKnown(): boolean {
    return this.#wasFit && this.#lastAnswer.isInRecovery && this.#isSeen();
  }

  /** True if a read has failed, or a connection was lost, since the last answer. */
  hasFailed(): boolean {
    const { askedAt, interruptions } = this.#lastAnswer;
    return this.#failedAt >= askedAt || interruptions !== this.#interruptions;
  }

  mayBePrimary(): boolean {
    return this.#isReachable && !(this.#lastAnswer.isInRecovery && this.#isSeen());
  }

  describe(): StandbyState {
    const { server } = this.connections.reads;
    const { isInRecovery, replayed } = this.#lastAnswer;
    if (!this.#isReachable) return { server, state: "lost", lagBytes: undefined };
    if (!isInRecovery) return { server, state: "primary", lagBytes: undefined };
    const { latest, isLost } = this.watch;
    // The standby may have been asked later than the primary.
    const lagBytes = latest && !isLost ? Math.max(0, Number(latest.written - replayed)) : undefined;
    return { server, state: this.isCurrent() ? "trusted" : "untrusted", lagBytes };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
    await Promise.all([this.connections.reads.close(), this.connections.probe.close()]);
  }

  get #interruptions(): number {
    return this.connections.reads.interruptions + this.connections.probe.interruptions;
  }

  #isSeen(): boolean {
    return this.watch.stopwatch() < this.#lastAnswer.askedAt + trustMs;
  }

  async #probe(): Promise<void> {
    const before = this.#lastAnswer;
    const [askedAt, interruptions] = [this.watch.stopwatch(), this.#interruptions];
    try {
      const [row] = await this.connections.probe.query<ProbeRow>(probeQuery);
      if (!row) throw new Error("A probe returned nothing.");
      this.#lastAnswer = { ...row, askedAt, interruptions, replayed: positionOf(row.replayed ?? "0/0") };
      if (interruptions !== before.interruptions || row.life !== before.life) this.#restartedAt = askedAt;
      this.#isReachable = true;
      this.#judge();
    } catch (error) {
      this.#isReachable = false;
      if (!this.watch.isLost) this.#wasFit = false;
      const { message, cause = message } = error as Error;
      this.#tell("a standby is lost", String(cause));
    }
  }

  #judge(): void {
    const isKnown = this.watch.latest !== undefined && !this.watch.isLost;
    if (this.#lastAnswer.isInRecovery && !isKnown) return;
    const reason = this.#reasonAgainst();
    const isCaughtUp = this.#currentAt() > Number.NEGATIVE_INFINITY;
    this.#wasFit = reason === "" && isCaughtUp;
    if (reason !== "") this.#tell("a standby gets no reads", reason);
    else if (!this.watch.isEstablished(this.#lastAnswer.name)) return;
    else if (isCaughtUp) this.#tell("a standby gets reads", "");
    else this.#tell("a standby gets no reads", "it has not caught up with what was saved before");
  }

  /** The latest time up to which it shows every acknowledged write, or minus infinity. */
  #currentAt(): number {
    const { replayed } = this.#lastAnswer;
    const currentAt = this.watch.currentAt(replayed) ?? Number.NEGATIVE_INFINITY;
    // Writes that were acknowledged because it showed them before a restart are part of all that was written after that.
    return currentAt > this.#restartedAt ? currentAt : Number.NEGATIVE_INFINITY;
  }

  /** Why commits may be acknowledged that it does not show; empty if it shows all of them. */
  #reasonAgainst(): string {
    const { name, isInRecovery } = this.#lastAnswer;
    if (!isInRecovery) return "it is no standby: it takes writes";
    if (name === "") return "it has no cluster_name";
    const known = this.watch.latest?.standbys.get(name);
    if (!known) return `the primary has no standby with its cluster_name, ${name}`;
    return known.reason;
  }

  /** Logs a state once; the reason why a server cannot be reached varies. */
  #tell(message: string, reason: string): void {
    const news = message === "a standby is lost" ? message : `${message}: ${reason}`;
    if (news === this.#noted) return;
    this.#noted = news;
    const { server } = this.connections.reads;
    this.note(reason === "" ? "info" : "warn", message, reason === "" ? { server } : { server, reason });
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

interface Answer extends Omit<ProbeRow, "replayed"> {
  readonly askedAt: number;
  readonly interruptions: number;
  readonly replayed: Position;
}
