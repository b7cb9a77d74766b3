import type { Note } from "../../store.ts";
import { toReadError, unreachableError } from "../errors.ts";
import { type Parameter, parseWalPosition, type Run, serverStartId, type WalPosition } from "../query.ts";
import { type KnownStandby, type PolledServer, pollIntervalMs, type ReplicationWatch, trustMs } from "./replication.ts";

/** Probes have a connection of their own, so that reads cannot delay them. */
export type StandbyConnections = Readonly<
  Record<"reads" | "probe", PolledServer & { readonly interruptionCount: number }>
>;

/**
 * Sends reads to standbys that show every write that was acknowledged before the read began. While the primary is lost, no server knows
 * which standbys are up to date; reads then go to standbys that were up to date before the loss, unless one may have become the primary.
 */
export class Replicas {
  readonly #standbys: readonly Standby[];
  #next = 0;

  constructor(
    private readonly primary: { readonly query: Run },
    standbys: readonly StandbyConnections[],
    private readonly replication: ReplicationWatch,
    note: Note,
  ) {
    const isNameShared = (standby: Standby) => this.#standbys.some((other) => other.hasSameNameAs(standby));
    this.#standbys = standbys.map((connections) => new Standby(connections, replication, isNameShared, note));
  }

  readonly query: Run = async (text, parameters) => {
    let failure: unknown;
    for (const query of this.#sources()) {
      try {
        return await query(text, parameters);
      } catch (error) {
        failure = error;
        // The failure may be the first sign that the primary is lost. The poll finds out, and so decides which sources follow.
        if (query === this.primary.query && !this.replication.isLost) await this.replication.poll();
      }
    }
    throw toReadError(failure);
  };

  states(): StandbyState[] {
    return this.#standbys.map((standby) => standby.describe());
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  /** Yields the sources to try, in order. The conditions of each source are evaluated only after the earlier sources have failed. */
  *#sources(): Iterable<Run> {
    for (const standby of this.#rotatedStandbys()) if (standby.isCurrent()) yield standby.query;
    if (!this.replication.isLost) yield this.primary.query;
    if (!this.replication.isLost) return;
    // A promoted standby shows all acknowledged writes: earlier commits waited for the standby, and it accepts the later ones itself.
    for (const standby of this.#standbys) if (standby.isSoleSuccessor(this.#standbys)) yield standby.query;
    // Without the primary, a standby that has just failed is tried again at the end.
    for (const hasFailed of [false, true]) {
      for (const standby of this.#rotatedStandbys()) {
        const hasSuccessor = this.#standbys.some((other) => other.mayBePrimary());
        if (standby.wasCompleteAtLoss() && standby.hasFailed() === hasFailed && !hasSuccessor) yield standby.query;
      }
    }
    yield this.primary.query;
  }

  #rotatedStandbys(): Standby[] {
    const start = this.#next++ % this.#standbys.length;
    return [...this.#standbys.slice(start), ...this.#standbys.slice(0, start)];
  }
}

/** A replica in the state "primary" accepts writes: operators may list every server as a replica, because roles change at a failover. */
export const standbyStates = ["trusted", "untrusted", "primary", "lost"] as const;

export interface StandbyState {
  readonly server: string;
  readonly state: (typeof standbyStates)[number];
  readonly lagBytes: number | undefined;
}

/**
 * The last probe and the samples of the primary decide if a standby gets reads. The other fields record failures since that probe, and the
 * last restart: a restarted standby responds before it has replayed again everything that it had shown before.
 */
class Standby {
  readonly #timer: Timer;
  #probing: Promise<void> | undefined;
  #isReachable = false;
  #lastProbe: ProbeResult = {
    sentAt: Number.NEGATIVE_INFINITY,
    interruptionCount: 0,
    name: "",
    isInRecovery: false,
    replayed: 0n,
    hasConflict: false,
    startId: "",
  };
  #failedAt = Number.NEGATIVE_INFINITY;
  #restartedAt = Number.NEGATIVE_INFINITY;
  /** True if the standby has caught up, and commits have waited for the standby without interruption since then. */
  #isComplete = false;
  #lastLogged = "";

  constructor(
    private readonly connections: StandbyConnections,
    private readonly replication: ReplicationWatch,
    private readonly isNameShared: (standby: Standby) => boolean,
    private readonly note: Note,
  ) {
    this.#timer = setInterval(() => {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }, pollIntervalMs);
  }

  /** Reads from the standby. After a ServiceError, the standby gets no reads before its next probe. */
  readonly query: Run = async <Row>(text: string, parameters?: readonly Parameter[]) => {
    const before = this.#interruptionCount;
    try {
      const rows = await this.connections.reads.query<Row>(text, parameters);
      if (this.#interruptionCount === before) return rows;
      throw unreachableError(`${this.connections.reads.server}: it may have been restarted meanwhile`, false);
    } catch (error) {
      this.#failedAt = this.replication.stopwatch();
      throw error;
    }
  };

  /** Returns true if the standby shows every write that was acknowledged up to now. */
  isCurrent(): boolean {
    return (
      this.#isReachable &&
      !this.hasFailed() &&
      this.#findObstacle() === "" &&
      this.replication.stopwatch() < this.#currentAt() + trustMs &&
      this.replication.isEstablished(this.#lastProbe.name)
    );
  }

  /** Returns true if the standby had every acknowledged write when the primary was lost, and still responds. */
  wasCompleteAtLoss(): boolean {
    return this.#isComplete && this.#lastProbe.isInRecovery && this.#isRecentlyProbed();
  }

  /** Returns true if the standby had every acknowledged write when the primary was lost, and is the only server that may be primary now. */
  isSoleSuccessor(standbys: readonly Standby[]): boolean {
    const isPromoted = this.#isComplete && !this.#lastProbe.isInRecovery && this.#isRecentlyProbed();
    return isPromoted && this.#isReachable && standbys.every((other) => other === this || !other.mayBePrimary());
  }

  /** Returns true for two servers with the same name: what the primary reports about the name may be about either server. */
  hasSameNameAs(other: Standby): boolean {
    const [{ name, startId }, theirs] = [this.#lastProbe, other.#lastProbe];
    return this.#isReachable && name === theirs.name && startId !== theirs.startId;
  }

  hasFailed(): boolean {
    const { sentAt, interruptionCount } = this.#lastProbe;
    return this.#failedAt >= sentAt || interruptionCount !== this.#interruptionCount;
  }

  mayBePrimary(): boolean {
    return this.#isReachable && !(this.#lastProbe.isInRecovery && this.#isRecentlyProbed());
  }

  describe(): StandbyState {
    const { server } = this.connections.reads;
    const { isInRecovery, replayed } = this.#lastProbe;
    if (!this.#isReachable) return { server, state: "lost", lagBytes: undefined };
    if (!isInRecovery) return { server, state: "primary", lagBytes: undefined };
    const { latestSample, isLost } = this.replication;
    const lagBytes = latestSample && !isLost ? Math.max(0, Number(latestSample.written - replayed)) : undefined;
    return { server, state: this.isCurrent() ? "trusted" : "untrusted", lagBytes };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
    await Promise.all([this.connections.reads.close(), this.connections.probe.close()]);
  }

  get #interruptionCount(): number {
    return this.connections.reads.interruptionCount + this.connections.probe.interruptionCount;
  }

  #isRecentlyProbed(): boolean {
    return this.replication.stopwatch() < this.#lastProbe.sentAt + trustMs;
  }

  async #probe(): Promise<void> {
    const before = this.#lastProbe;
    const [sentAt, interruptionCount] = [this.replication.stopwatch(), this.#interruptionCount];
    try {
      const [row] = await this.connections.probe.query<ProbeRow>(probeQuery);
      if (!row) throw new Error("A probe returned nothing.");
      // A standby without a connection to the primary reports no name, and so keeps the last one.
      const name = row.name ?? before.name;
      this.#lastProbe = { ...row, name, sentAt, interruptionCount, replayed: parseWalPosition(row.replayed ?? "0/0") };
      if (interruptionCount !== before.interruptionCount || row.startId !== before.startId) {
        this.#restartedAt = sentAt;
        this.#isComplete = false;
      }
      this.#isReachable = true;
      this.#updateFitness();
    } catch (error) {
      this.#isReachable = false;
      if (!this.replication.isLost) this.#isComplete = false;
      const { message, cause = message } = error as Error;
      this.#logOnce("a standby is lost", String(cause));
    }
  }

  #updateFitness(): void {
    const isPrimaryKnown = this.replication.latestSample !== undefined && !this.replication.isLost;
    if (!isPrimaryKnown) return;
    const obstacle = this.#findObstacle();
    const isCaughtUp = this.#currentAt() > Number.NEGATIVE_INFINITY;
    // A standby that has caught up stays complete, because no later commit is acknowledged without the standby.
    const wasWaitedFor = this.#isComplete && this.replication.isEstablished(this.#lastProbe.name);
    this.#isComplete = obstacle === "" && (isCaughtUp || wasWaitedFor);
    if (this.#lastProbe.hasConflict) this.#logOnce("a standby has stopped replaying", replayConflict);
    else if (obstacle !== "") this.#logOnce("a standby gets no reads", obstacle);
    else if (!this.replication.isEstablished(this.#lastProbe.name)) return;
    else if (isCaughtUp) this.#logOnce("a standby gets reads", "");
    else this.#logOnce("a standby gets no reads", "it has not caught up with what was saved before");
  }

  /** Returns the latest time up to which the standby shows every acknowledged write; minus infinity if unknown. */
  #currentAt(): number {
    const currentAt = this.replication.currentAt(this.#lastProbe.replayed) ?? Number.NEGATIVE_INFINITY;
    // Only a sample from after a restart proves that the standby has replayed again the writes that it had shown before.
    return currentAt > this.#restartedAt ? currentAt : Number.NEGATIVE_INFINITY;
  }

  #findObstacle(): string {
    const { name } = this.#lastProbe;
    const obstacle = findObstacle(this.#lastProbe, this.replication.latestSample?.standbys);
    return obstacle === "" && this.isNameShared(this)
      ? `another --replica has the same application_name, ${name}`
      : obstacle;
  }

  /** Logs each new state once. The reason for the loss of a standby varies, so another reason does not count as a new state. */
  #logOnce(message: string, reason: string): void {
    const state = message === "a standby is lost" ? message : `${message}: ${reason}`;
    if (state === this.#lastLogged) return;
    this.#lastLogged = state;
    const { server } = this.connections.reads;
    this.note(reason === "" ? "info" : "warn", message, reason === "" ? { server } : { server, reason });
  }
}

/** Returns an empty text if commits wait until the server shows them, and otherwise the reason why they might not. */
export function findObstacle(
  { name, isInRecovery }: Pick<ProbeRow, "name" | "isInRecovery">,
  standbys: ReadonlyMap<string, KnownStandby> | undefined,
): string {
  if (!isInRecovery) return "it is not a standby: it accepts writes";
  if (!name) return "it has no primary, or the service's user may not see which: it needs the role pg_monitor";
  const standby = standbys?.get(name);
  return standby ? standby.obstacle : `the primary has no standby with its application_name, ${name}`;
}

const replayConflict =
  "a query on it needs rows that the primary has removed, so commits wait: set hot_standby_feedback = on";

/** The name is the `application_name` of the connection to the primary, because cluster managers give all servers one `cluster_name`. */
export const probeQuery = `
  SELECT (SELECT lower(coalesce(substring(conninfo FROM '(?:^| )application_name=([^ ]+)'),
                                substring(conninfo FROM 'fallback_application_name=([^ ]+)')))
          FROM pg_stat_wal_receiver) AS name,
         pg_is_in_recovery() AS "isInRecovery",
         pg_last_wal_replay_lsn() AS replayed,
         EXISTS (SELECT FROM pg_stat_activity WHERE wait_event LIKE 'RecoveryConflict%') AS "hasConflict",
         ${serverStartId} AS "startId"`;

export interface ProbeRow {
  /** Null if the server has no connection to a primary, or if the user lacks the role pg_monitor. */
  readonly name: string | null;
  readonly isInRecovery: boolean;
  readonly replayed: string | null;
  readonly hasConflict: boolean;
  readonly startId: string;
}

interface ProbeResult extends Omit<ProbeRow, "name" | "replayed"> {
  readonly name: string;
  readonly sentAt: number;
  readonly interruptionCount: number;
  readonly replayed: WalPosition;
}
