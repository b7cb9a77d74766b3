import type { Stopwatch } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import type { Note } from "../../store.ts";
import { parseWalPosition, type Run, type WalPosition } from "../query.ts";

export interface PolledServer {
  readonly query: Run;
  readonly server: string;
  close(): Promise<void>;
}

export interface KnownStandby {
  readonly isWaitedFor: boolean;
  /** Empty if commits wait for the standby. */
  readonly obstacle: string;
  readonly replayed: WalPosition;
}

export interface Sample {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverStartedAt: string;
  /** Every write that was acknowledged before `sentAt` is before this position. */
  readonly written: WalPosition;
  readonly standbys: ReadonlyMap<string, KnownStandby>;
}

/**
 * Polls the primary for the standbys that its commits wait for. Two rules together keep every read on a standby from missing a write that
 * this or another instance has acknowledged, however late an instance notices that commits wait for other standbys than before:
 * - A reader uses a standby only for `trustMs` after a moment up to which the standby has replayed all that was written, and only
 *   if all samples of the last `trustMs` say that commits wait for the standby.
 * - A writer acknowledges a commit once all standbys that commits waited for in its own samples of the last `trustMs` show it, or
 *   else after `trustMs`: by then every instance that still uses another standby knows that the standby has fallen behind.
 *
 * The samples are the only state. A long gap between two samples, or another server, discards all earlier samples. Both rules need samples
 * that cover the last `trustMs`, so the last sample from before that time is kept as well.
 */
export class ReplicationWatch {
  readonly #timer: Timer;
  #samples: readonly Sample[] = [];
  #isLost = false;
  #polling: Promise<void> | undefined;
  #nextPoll: Promise<void> | undefined;

  constructor(
    private readonly primary: PolledServer,
    private readonly note: Note,
    readonly stopwatch: Stopwatch = () => performance.now(),
  ) {
    this.#timer = setInterval(() => this.#polling ?? this.poll(), pollIntervalMs);
    this.poll();
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get latestSample(): Sample | undefined {
    return this.#samples[0];
  }

  /** Returns the latest time up to which a standby that has replayed the WAL to this position shows every acknowledged write. */
  currentAt(replayed: WalPosition): number | undefined {
    return this.#samples.find(({ written }) => written <= replayed)?.sentAt;
  }

  /** Returns true if commits have waited for the standby for so long that every instance that writes has noticed. */
  isEstablished(name: string): boolean {
    return this.#samplesCoverTrust() && this.#samples.every(({ standbys }) => standbys.get(name)?.isWaitedFor);
  }

  /** Returns once a commit that ends after the position may be acknowledged. */
  async acknowledge(position: WalPosition): Promise<void> {
    const committedAt = this.stopwatch();
    for (let left = trustMs; left > 0; left = committedAt + trustMs - this.stopwatch()) {
      await withDeadline(left, this.poll(), () => new Error("no answer")).catch(() => {});
      if (this.#isShownByAll(position, committedAt)) return;
      await Bun.sleep(Math.min(left, repollMs));
    }
  }

  /** Returns after a poll that begins after the call, whether or not the primary responds. */
  poll(): Promise<void> {
    if (this.#polling) {
      this.#nextPoll ??= this.#polling.then(() => {
        this.#nextPoll = undefined;
        return this.poll();
      });
      return this.#nextPoll;
    }
    this.#polling = this.#takeSample().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
    await this.primary.close();
  }

  async #takeSample(): Promise<void> {
    const sentAt = this.stopwatch();
    try {
      const { first, standbys } = await readStandbys(this.primary.query);
      if (!first?.written) throw new Error("it is a standby now");
      if (this.#isLost) this.note("info", "the primary answers again", { server: this.primary.server });
      this.#isLost = false;
      this.#add({
        sentAt,
        receivedAt: this.stopwatch(),
        serverStartedAt: first.startedAt,
        written: parseWalPosition(first.written),
        standbys,
      });
    } catch (error) {
      const { message, cause = message } = error as Error;
      if (!this.#isLost) {
        const { server } = this.primary;
        this.note("warn", "the primary does not answer", { server, reason: String(cause) });
      }
      this.#isLost = true;
    }
  }

  #add(sample: Sample): void {
    const [newest, before] = this.#samples;
    const isContinued =
      newest?.serverStartedAt === sample.serverStartedAt && sample.receivedAt - newest.sentAt <= trustMs;
    // Under load, the primary is polled all the time, and mostly reports the same standbys, so not every sample is kept.
    const isRedundant =
      newest && before && newest.sentAt - before.sentAt < pollIntervalMs / 2 && haveSameStandbys(newest, before);
    const earlier = isContinued ? this.#samples.slice(isRedundant ? 1 : 0) : [];
    const samples = [sample, ...earlier];
    const since = sample.sentAt - trustMs;
    this.#samples = samples.filter((_, index) => (samples[index - 1] ?? sample).receivedAt > since);
  }

  #samplesCoverTrust(): boolean {
    const [latest, oldest] = [this.#samples[0], this.#samples.at(-1)];
    return latest !== undefined && oldest !== undefined && latest.sentAt - oldest.receivedAt >= trustMs;
  }

  #isShownByAll(position: WalPosition, committedAt: number): boolean {
    const latest = this.latestSample;
    if (!latest || latest.sentAt < committedAt || !this.#samplesCoverTrust()) return false;
    const isShownBy = (name: string) => {
      const standby = latest.standbys.get(name);
      return standby?.isWaitedFor === true && standby.replayed > position;
    };
    return this.#samples.every(({ standbys }) =>
      standbys.entries().every(([name, { isWaitedFor }]) => !isWaitedFor || isShownBy(name)),
    );
  }
}

function haveSameStandbys({ standbys: some }: Sample, { standbys: others }: Sample): boolean {
  const names = new Set([...some.keys(), ...others.keys()]);
  return names.values().every((name) => some.get(name)?.isWaitedFor === others.get(name)?.isWaitedFor);
}

/** Maximum time for which reads use a standby after it was known to be up to date; also the maximum gap between two samples. */
export const trustMs = 2_000;

/** Deadline of a poll: shorter than `trustMs`, so a lost server is detected before the trust in other servers expires. */
export const pollTimeoutMs = 1_000;

export const pollIntervalMs = 250;
const repollMs = 20;

/** The WHERE clause has a parameter because the driver prepares only statements with parameters, which are then planned once. */
const statusQuery = `
  SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_flush_lsn() END AS written,
         pg_postmaster_start_time()::text AS "startedAt",
         current_setting('synchronous_standby_names') AS names,
         lower(application_name) AS name, state, sync_state AS "syncState", replay_lsn AS replayed
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

/** Reads the standbys of the primary, by their names in lower case, and how many more must connect before a commit can finish. */
export async function readStandbys(query: Run) {
  const rows = await query<StatusRow>(statusQuery, [1]);
  const { count, names } = parseSynchronousStandbys(rows[0]?.names ?? "");
  const connected = rows.filter(({ name }) => name !== null && (names.includes(name) || names.includes("*")));
  const missingCount = names.length === 0 ? 0 : Math.max(0, count - connected.length);
  return { first: rows[0], standbys: toKnownStandbys(rows), missingCount };
}

function toKnownStandbys(rows: readonly StatusRow[]): Map<string, KnownStandby> {
  const rowsByName = Map.groupBy(rows, ({ name }) => name ?? "");
  const isDuplicate = (name: string) => (rowsByName.get(name)?.length ?? 0) > 1;
  const listed = parseRequiredStandbys(rows[0]?.names ?? "");
  // Two connections with the same name count as two standbys, so a commit might skip another standby of the list.
  const required = listed.some(isDuplicate) ? [] : listed;
  const standbys = new Map<string, KnownStandby>();
  for (const name of required) standbys.set(name, { isWaitedFor: true, obstacle: "", replayed: 0n });
  for (const row of rows) {
    const { name, replayed, state } = row;
    if (name === null) continue;
    const duplicate = isDuplicate(name) ? `the primary has several standbys with its application_name, ${name}` : "";
    const isRequired = state !== null && required.includes(name);
    const obstacle = duplicate || (isRequired ? "" : findObstacle(row, rows));
    standbys.set(name, { isWaitedFor: obstacle === "", obstacle, replayed: parseWalPosition(replayed ?? "0/0") });
  }
  return standbys;
}

/** Returns the standbys that every commit must wait for, connected or not: all standbys of the setting, or none. */
function parseRequiredStandbys(setting: string): string[] {
  const { count, names } = parseSynchronousStandbys(setting);
  return names.includes("*") || names.length > count ? [] : names;
}

function parseSynchronousStandbys(setting: string): { readonly count: number; readonly names: string[] } {
  const [, count = "1", list = setting] = /^\s*(?:FIRST\s+|ANY\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(setting) ?? [];
  const matches = list.matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g);
  const names = [...matches].map(([text, quoted]) => (quoted?.replaceAll('""', '"') ?? text).toLowerCase());
  return { count: Number(count), names };
}

function findObstacle({ state, syncState, names }: StatusRow, rows: readonly StatusRow[]): string {
  if (state === null) return "the service's user may not see it: it needs the role pg_monitor on the primary";
  if (state !== "streaming") return `it is not streaming yet: its state is ${state}`;
  if (syncState === "sync") return "";
  if (syncState !== "quorum") return `commits do not wait for it: its sync_state is ${syncState}`;
  const needed = Number(/^\s*ANY\s+(\d+)/i.exec(names)?.[1]);
  const candidates = rows.filter((row) => row.syncState === "quorum").length;
  return needed >= candidates ? "" : `commits do not wait for it: ANY ${needed} of ${candidates}`;
}
