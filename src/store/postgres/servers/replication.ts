import type { Stopwatch } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import type { Note } from "../../store.ts";
import { type Position, positionOf, type Run } from "../query.ts";

/** A connection by which a server is asked about its state. */
export interface Asked {
  readonly query: Run;
  readonly server: string;
  close(): Promise<void>;
}

/** A standby, by the name under which the primary knows it. */
export interface KnownStandby {
  /** True if the primary acknowledges no commit before this standby shows it. */
  readonly isWaitedFor: boolean;
  /** Why commits do not wait for it; empty if they do. */
  readonly reason: string;
  readonly replayed: Position;
}

/** An answer of the primary. */
export interface Sample {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly serverStartedAt: string;
  /** Every write that was acknowledged before `askedAt` is before this position. */
  readonly written: Position;
  readonly standbys: ReadonlyMap<string, KnownStandby>;
}

/**
 * Polls the primary for the standbys that its commits wait for. Two rules together keep every read on a standby from missing a
 * write that this or another instance has acknowledged:
 *
 * - A reader uses a standby only for `trustMs` after a moment up to which the standby has replayed all that was written, and only
 *   if all samples of the last `trustMs` say that commits wait for the standby.
 * - A writer acknowledges a commit once all standbys that commits waited for in its own samples of the last `trustMs` show it, or
 *   else after `trustMs`: by then every instance that still uses another standby knows that the standby has fallen behind.
 *
 * So correctness does not depend on how soon an instance learns that the primary waits for other standbys than before.
 *
 * The samples are the only state, so a gap between two of them, or another server, starts them over. Both rules need those of the
 * whole last `trustMs`, so the last sample before that is kept as well. Without samples, a writer would wait `trustMs` for each
 * commit, and a `synchronous_standby_names` that changes would let a reader miss a write.
 */
export class ReplicationWatch {
  readonly #timer: Timer;
  /** The newest first. */
  #samples: readonly Sample[] = [];
  #isLost = false;
  #asking: Promise<void> | undefined;
  #askingNext: Promise<void> | undefined;

  constructor(
    private readonly primary: Asked,
    private readonly note: Note,
    readonly stopwatch: Stopwatch = () => performance.now(),
  ) {
    this.#timer = setInterval(() => this.#asking ?? this.ask(), askEveryMs);
    this.ask();
  }

  /** True if the primary did not answer the last question. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get latest(): Sample | undefined {
    return this.#samples[0];
  }

  /** The latest time up to which a standby that has replayed this much shows every acknowledged write. */
  currentAt(replayed: Position): number | undefined {
    return this.#samples.find(({ written }) => written <= replayed)?.askedAt;
  }

  /** True if the primary has waited for the standby so long that every instance that writes has seen it. */
  isEstablished(name: string): boolean {
    return this.#isUnbroken() && this.#samples.every(({ standbys }) => standbys.get(name)?.isWaitedFor);
  }

  /** Returns when a commit whose last part is after that position may be acknowledged. */
  async acknowledge(position: Position): Promise<void> {
    const committedAt = this.stopwatch();
    for (let left = trustMs; left > 0; left = committedAt + trustMs - this.stopwatch()) {
      await withDeadline(left, this.ask(), () => new Error("no answer")).catch(() => {});
      if (this.#isShownByAll(position, committedAt)) return;
      await Bun.sleep(Math.min(left, askAgainMs));
    }
  }

  /** Asks the primary once more, and returns whether or not it has answered. */
  ask(): Promise<void> {
    if (!this.#asking) {
      this.#asking = this.#take().finally(() => {
        this.#asking = undefined;
      });
      return this.#asking;
    }
    this.#askingNext ??= this.#asking.then(() => {
      this.#askingNext = undefined;
      return this.ask();
    });
    return this.#askingNext;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    await this.primary.close();
  }

  async #take(): Promise<void> {
    const askedAt = this.stopwatch();
    const { server } = this.primary;
    try {
      const rows = await this.primary.query<StatusRow>(statusQuery, [1]);
      const [first] = rows;
      if (!first?.written) throw new Error("it is a standby now");
      if (this.#isLost) this.note("info", "the primary answers again", { server });
      this.#isLost = false;
      this.#add({
        askedAt,
        answeredAt: this.stopwatch(),
        serverStartedAt: first.startedAt,
        written: positionOf(first.written),
        standbys: standbysOf(rows),
      });
    } catch (error) {
      const { message, cause = message } = error as Error;
      if (!this.#isLost) this.note("warn", "the primary does not answer", { server, reason: String(cause) });
      this.#isLost = true;
    }
  }

  #add(sample: Sample): void {
    const [newest, before] = this.#samples;
    const isContinued =
      newest?.serverStartedAt === sample.serverStartedAt && sample.answeredAt - newest.askedAt <= trustMs;
    // Under load, the primary is asked all the time, and mostly says the same.
    const isDense = newest && before && newest.askedAt - before.askedAt < askEveryMs / 2 && waitsAlike(newest, before);
    const earlier = isContinued ? this.#samples.slice(isDense ? 1 : 0) : [];
    const samples = [sample, ...earlier];
    const since = sample.askedAt - trustMs;
    this.#samples = samples.filter((_, index) => (samples[index - 1] ?? sample).answeredAt > since);
  }

  /** True if the samples reach back for `trustMs`. */
  #isUnbroken(): boolean {
    const [latest, oldest] = [this.#samples[0], this.#samples.at(-1)];
    return latest !== undefined && oldest !== undefined && latest.askedAt - oldest.answeredAt >= trustMs;
  }

  #isShownByAll(position: Position, committedAt: number): boolean {
    const { latest } = this;
    if (!latest || latest.askedAt < committedAt || !this.#isUnbroken()) return false;
    const hasShown = ({ isWaitedFor, replayed }: KnownStandby) => isWaitedFor && replayed > position;
    return this.#samples.every(({ standbys }) =>
      [...standbys].every(([name, { isWaitedFor }]) => {
        const now = latest.standbys.get(name);
        return !isWaitedFor || (now !== undefined && hasShown(now));
      }),
    );
  }
}

/** True if commits waited for the same standbys. */
function waitsAlike({ standbys: some }: Sample, { standbys: others }: Sample): boolean {
  const names = new Set([...some.keys(), ...others.keys()]);
  return names.values().every((name) => some.get(name)?.isWaitedFor === others.get(name)?.isWaitedFor);
}

/** How long a standby is used after a moment at which it was known to show everything; also the longest gap between two samples. */
export const trustMs = 2_000;

/** Deadline of a question to a server, which reveals a lost server before the trust in others has run out. */
export const answerMs = 1_000;

export const askEveryMs = 250;
const askAgainMs = 20;

/** The condition is a parameter because the driver prepares only statements with parameters, which are then planned once. */
const statusQuery = `
  SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_flush_lsn() END AS written,
         pg_postmaster_start_time()::text AS "startedAt",
         current_setting('synchronous_standby_names') AS names,
         application_name AS name, state, sync_state AS "syncState", replay_lsn AS replayed
  FROM (SELECT WHERE $1::integer = 1) AS always LEFT JOIN pg_stat_replication ON true`;

interface StatusRow {
  readonly written: string | null;
  readonly startedAt: string;
  readonly names: string;
  readonly name: string | null;
  readonly state: string | null;
  readonly syncState: string | null;
  readonly replayed: string | null;
}

function standbysOf(rows: readonly StatusRow[]): Map<string, KnownStandby> {
  const standbys = new Map<string, KnownStandby>();
  for (const row of rows) {
    if (row.name === null) continue;
    const isKnown = standbys.has(row.name);
    const reason = isKnown ? "the primary has several standbys with its cluster_name" : reasonAgainst(row, rows);
    standbys.set(row.name, { isWaitedFor: reason === "", reason, replayed: positionOf(row.replayed ?? "0/0") });
  }
  return standbys;
}

function reasonAgainst({ state, syncState, names }: StatusRow, rows: readonly StatusRow[]): string {
  if (state === null) return "the service's user may not see it: it needs the role pg_monitor on the primary";
  if (state !== "streaming") return `it is not streaming yet: its state is ${state}`;
  if (syncState === "sync") return "";
  if (syncState !== "quorum") return `commits do not wait for it: its sync_state is ${syncState}`;
  const needed = Number(/^\s*ANY\s+(\d+)/i.exec(names)?.[1]);
  const candidates = rows.filter((row) => row.syncState === "quorum").length;
  return needed >= candidates ? "" : `commits do not wait for it: ANY ${needed} of ${candidates}`;
}
