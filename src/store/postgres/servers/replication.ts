import type { Stopwatch } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import type { Note } from "../../store.ts";
import type { Connection } from "./connection.ts";
import { type Position, positionOf } from "./position.ts";

/** What a server is asked by. */
export type Asked = Pick<Connection, "query" | "server" | "close">;

/** A standby, by the name under which the primary knows it. */
export interface KnownStandby {
  /** Whether no commit of now is answered before this standby shows it. */
  readonly isWaitedFor: boolean;
  /** Why not. */
  readonly reason: string;
  readonly replayed: Position;
}

/** What the primary said at one moment. */
export interface Sample {
  /** Taken before the question was sent. */
  readonly askedAt: number;
  /** Every acknowledged write is before it. */
  readonly written: Position;
  readonly standbys: ReadonlyMap<string, KnownStandby>;
}

/**
 * Asks the primary again and again which standbys its commits wait for. From that follow two rules that together keep every
 * read on a standby from missing what was acknowledged before, by this instance or another:
 *
 * - A reader uses a standby only for `trustMs` after a moment up to which the standby has replayed all that was written.
 * - A writer acknowledges what it has committed when all standbys that anybody may be using show it, or else after `trustMs`:
 *   then any instance that still uses a standby that does not has since found out that it has fallen behind.
 *
 * So nothing depends on how soon an instance learns that the primary waits for other standbys than before. That it waits for
 * them is what makes writers answer at once.
 */
export class ReplicationWatch {
  readonly stopwatch: Stopwatch;
  readonly #primary: Asked;
  readonly #note: Note;
  readonly #timer: Timer;
  readonly #streaks = new Map<string, Streak>();
  /** The newest first, then those of the last `trustMs`, but not all of them. */
  #samples: Sample[] = [];
  #serverStartedAt: string | undefined;
  /** From when on all samples were of one server, and close enough to each other to have missed nothing that lasted. */
  #unbrokenSince = Number.POSITIVE_INFINITY;
  #isLost = false;
  #asking: Promise<void> | undefined;
  #askingNext: Promise<void> | undefined;

  constructor(primary: Asked, note: Note, stopwatch: Stopwatch = () => performance.now()) {
    this.stopwatch = stopwatch;
    this.#primary = primary;
    this.#note = note;
    this.#timer = setInterval(() => this.#asking ?? this.ask(), askEveryMs);
    this.ask();
  }

  /** Whether the primary could not be asked when it should have been. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get latest(): Sample | undefined {
    return this.#samples[0];
  }

  /** The latest time up to which a standby that has replayed this much shows all that was acknowledged. */
  currentAt(replayed: Position): number | undefined {
    return this.#samples.find(({ written }) => written <= replayed)?.askedAt;
  }

  /** Whether the primary has waited for the standby long enough for every instance that writes to know. */
  isEstablished(name: string): boolean {
    const streak = this.#streaks.get(name);
    return Boolean(streak?.isWaitedFor && this.latest && this.latest.askedAt - streak.since >= longestGapMs);
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

  /** Returns after the primary has been asked once more, whether it has answered or not. */
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
    await this.#primary.close();
  }

  async #take(): Promise<void> {
    const askedAt = this.stopwatch();
    try {
      const rows = await this.#primary.query<StatusRow>(statusQuery, [1]);
      const [first] = rows;
      if (!first?.written) throw new Error("it is a standby now");
      if (this.#isLost) this.#note("info", "the primary answers again", { server: this.#primary.server });
      this.#isLost = false;
      this.#add({ askedAt, written: positionOf(first.written), standbys: standbysOf(rows) }, first.startedAt);
    } catch (error) {
      if (!this.#isLost) {
        const { message, cause = message } = error as Error;
        this.#note("warn", "the primary does not answer", { server: this.#primary.server, reason: String(cause) });
      }
      this.#isLost = true;
    }
  }

  #add(sample: Sample, serverStartedAt: string): void {
    const now = this.stopwatch();
    const isOtherServer = serverStartedAt !== this.#serverStartedAt;
    if (isOtherServer || !this.latest || now - this.latest.askedAt > longestGapMs) {
      this.#serverStartedAt = serverStartedAt;
      this.#unbrokenSince = now;
      this.#streaks.clear();
      this.#samples = [];
    }
    const [newest, before] = this.#samples;
    // Under load, the primary is asked all the time.
    if (newest && before && newest.askedAt - before.askedAt < askEveryMs / 2) this.#samples.shift();
    this.#samples = [sample, ...this.#samples.filter(({ askedAt }) => askedAt > now - trustMs)];
    for (const [name, { isWaitedFor }] of sample.standbys) {
      if (this.#streaks.get(name)?.isWaitedFor !== isWaitedFor) this.#streaks.set(name, { isWaitedFor, since: now });
    }
    for (const [name, streak] of this.#streaks) {
      if (sample.standbys.has(name)) continue;
      if (streak.isWaitedFor) this.#streaks.set(name, { isWaitedFor: false, since: now });
      else if (now - streak.since > trustMs) this.#streaks.delete(name);
    }
  }

  #isShownByAll(position: Position, committedAt: number): boolean {
    const { latest } = this;
    const longAgo = this.stopwatch() - trustMs;
    if (!latest || latest.askedAt < committedAt || this.#unbrokenSince > longAgo) return false;
    return [...this.#streaks].every(([name, { isWaitedFor, since }]) =>
      isWaitedFor ? (latest.standbys.get(name)?.replayed ?? 0n) > position : since <= longAgo,
    );
  }
}

/** For how long a standby is used after a moment of which it is known to show everything. */
export const trustMs = 2_000;

/** How long a question to a server may take, so that a lost one is known as such before trust in others has run out. */
export const answerMs = 1_000;

export const askEveryMs = 250;
const askAgainMs = 20;
/**
 * A standby is used only when it has been waited for that long, and who writes asks at least as often: so nobody uses one that
 * the others have not seen being waited for.
 */
const longestGapMs = 2_000;

/** Since when a standby is waited for, or is not. */
interface Streak {
  readonly isWaitedFor: boolean;
  readonly since: number;
}

/** The condition is a parameter because only what has one is prepared, and planned once. */
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

/** Why commits do not wait for a standby; nothing if they do. */
function reasonAgainst({ state, syncState, names }: StatusRow, rows: readonly StatusRow[]): string {
  if (state === null) return "the service's user may not see it: it needs the role pg_monitor on the primary";
  if (state !== "streaming") return `it is not streaming yet: its state is ${state}`;
  if (syncState === "sync") return "";
  if (syncState !== "quorum") return `commits do not wait for it: its sync_state is ${syncState}`;
  const needed = Number(/^\s*ANY\s+(\d+)/i.exec(names)?.[1]);
  const candidates = rows.filter((row) => row.syncState === "quorum").length;
  return needed >= candidates ? "" : `commits do not wait for it: ANY ${needed} of ${candidates}`;
}
