import type { Database } from "bun:sqlite";
import { setTimeout } from "node:timers/promises";
import { removeLeftovers } from "../../base/files.ts";
import { nextTick } from "../../base/tick.ts";
import type { ServiceError } from "../../domain/errors.ts";
import { assembleStore, type Engine, type StoreReads } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { withIds } from "../id-ranges.ts";
import { defaultIdempotencyLimits } from "../idempotency-quota.ts";
import type { MigrationPlan, Store, StoreTelemetry } from "../store.ts";
import { limitToOneWrite, recordLifetimeMs } from "../stored-outcome.ts";
import { type AdapterOptions, addEventLogGauge, addRecordGauge, logIfSlow, telemetryOf } from "../telemetry.ts";
import { connectReader, connectWriter } from "./connection/connect.ts";
import { FileFaults } from "./connection/file-faults.ts";
import { SqliteFreshness } from "./connection/freshness.ts";
import { ReadTurn } from "./connection/read-turn.ts";
import {
  isReaderLockFailure,
  isTransient,
  ReportedFailure,
  reopening,
  type SqliteFailure,
  toFailure,
} from "./errors.ts";
import { eventLogEstimate } from "./events.ts";
import { Exporter } from "./export.ts";
import { createFile, restrictToOwner, sizeOf, walOf } from "./file/database-files.ts";
import {
  examineFile,
  examineVersion,
  explainOpenError,
  requireWritable,
  storeNotFound,
  withExplainedErrors,
} from "./file/examine.ts";
import { removeSecondNames, requireOwnWal } from "./file/second-name.ts";
import { hasWriteLock, requireWalIndexSpace } from "./file/wal.ts";
import { watchWalReaders } from "./file/wal-readers.ts";
import { recordCounts } from "./idempotency.ts";
import { flattenPets } from "./pets.ts";
import { prepareReads, type Reads } from "./reads.ts";
import { migrate, newestVersion, pendingMigrations, schemaVersion } from "./schema/migrate.ts";
import { requireComplete } from "./schema/schema-parts.ts";
import { type WriteContext, Writer } from "./writer/writer.ts";
import type { Writes } from "./writer/writer-worker.ts";

/** Opens the database, creating or migrating it first. Throws StoreOpenError. */
export async function openSqliteStore(
  path: string,
  {
    mustExist = false,
    onDeath,
    idempotencyLimits = defaultIdempotencyLimits,
    eventRetentionMs = defaultEventRetentionMs,
    stopwatch,
    isBulk = false,
    ...options
  }: Omit<AdapterOptions, "poolSize">,
): Promise<Store> {
  const watch = telemetryOf(options);
  const reader = openReader(path, mustExist);
  try {
    const faults = new FileFaults(watch);
    // SQLite ignores that it could not release a lock, and does not take it again before all connections were closed.
    const handle = (failure: SqliteFailure, hasStuckLock: boolean) => {
      if (hasStuckLock) reopenAll(path, { reading, writer, exporter, watch });
      else faults.report(failure, writer);
    };
    const reading = new Reading((failure) => {
      handle(failure, isReaderLockFailure(failure));
      return faults.toReadError(failure);
    });
    const eventWatch = new EventWatch(
      () => reading.inTurn(({ reads }) => reads.events.ends()?.newest.position ?? 0),
      lookEveryMs,
    );
    const onCommit = () => {
      reading.endTurn();
      eventWatch.check();
    };
    const onFailure = (failure: SqliteFailure) =>
      handle(failure, isReaderLockFailure(failure) || (failure.code === "SQLITE_BUSY" && hasWriteLock()));
    const openMessage = { open: path, idempotencyLimits, isBulk };
    const writer = await Writer.open({ openMessage, faults, watch, onDeath, onCommit, onFailure });
    const exporter = new Exporter(path, writer, reading.attempt, watch);
    reading.open(reader);
    watchFiles(path, watch);
    const expiry = new Expiry(watch.note, stopwatch);
    return storeOf({ reading, eventWatch, writer, exporter, faults, watch, expiry, eventRetentionMs });
  } catch (error) {
    reader.close();
    throw explainOpenError(path, error);
  }
}

/** Closes all connections, and opens them as soon as the disk allows. An export prevents that until the next write has failed. */
async function reopenAll(
  path: string,
  { reading, writer, exporter, watch }: Pick<Parts, "reading" | "writer" | "exporter" | "watch">,
): Promise<void> {
  if (!(await writer.areFilesThere()) || !reading.readers || exporter.running > 0) return;
  watch.note("error", "the disk reported an error: a lock could not be released, so the database is opened again", {});
  do {
    try {
      reading.close();
      await writer.reopen();
      reading.open(connectReader(path));
    } catch {
      // The disk still reports errors, and each request gets 503 with the reason.
      await setTimeout(reopenEveryMs, undefined, { ref: false });
    }
  } while (!reading.readers);
}

const reopenEveryMs = 1_000;

/** The connection that reads, and everything that reads on it. */
class Reading {
  database: Database | undefined;
  readers: Readers | undefined;

  constructor(readonly explain: (failure: SqliteFailure) => ServiceError) {}

  open(database: Database): void {
    this.database = database;
    this.readers = prepareReaders(database);
  }

  readonly attempt = <Result>(read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      throw this.explain(toFailure(error));
    }
  };

  inTurn<Result>(read: (readers: Readers) => Result): Result {
    return this.attempt(() => {
      const { readers } = this;
      if (!readers) throw new ReportedFailure(reopening);
      readers.turn.enter();
      return read(readers);
    });
  }

  endTurn(): void {
    this.readers?.turn.end();
  }

  close(): void {
    this.endTurn();
    this.readers = undefined;
    this.database?.close(true);
  }
}

type Readers = ReturnType<typeof prepareReaders>;

function prepareReaders(database: Database) {
  const freshness = new SqliteFreshness(database);
  return {
    database,
    freshness,
    turn: new ReadTurn(database, () => freshness.forget()),
    reads: prepareReads(database),
    enabledWebhook: database.prepare("SELECT 1 FROM webhooks WHERE status = 'enabled' LIMIT 1"),
    eventLogBytes: eventLogEstimate(database),
    countRecords: recordCounts(database),
  };
}

function watchFiles(path: string, { metrics }: StoreTelemetry): void {
  metrics.watch("gauge", "sqlite_file_bytes", "Size of the database's files.", () => [
    [{ file: "database" }, sizeOf(path)],
    [{ file: "wal" }, sizeOf(walOf(path))],
  ]);
}

/** What a store is put together from. */
interface Parts {
  readonly reading: Reading;
  readonly eventWatch: EventWatch;
  readonly writer: Writer;
  readonly exporter: Exporter;
  readonly faults: FileFaults;
  readonly watch: StoreTelemetry;
  readonly expiry: Expiry;
  readonly eventRetentionMs: number;
}

function storeOf({ reading, eventWatch, writer, exporter, faults, watch, expiry, eventRetentionMs }: Parts): Store {
  watchReads(watch, reading);
  const noteReaders = watchWalReaders(exporter.path, watch.note, () => exporter.running > 0);
  const { counts, events, transfer, ...reads } = timedReads(reading, watch);
  return assembleStore(engineOf(reads, reading, writer, expiry), {
    ...counts,
    transfer: {
      ...transfer,
      write: (table, rows) => writer.write("writeRows", { table, rows }),
      reserveIds: (last) => writer.write("reserveIds", last),
    },
    clock: Date.now,
    freshness: { currentVersion: () => reading.inTurn(({ freshness }) => freshness.currentVersion()) },
    events: { ...events, watch: (onMore) => eventWatch.add(onMore) },
    // Refused while the connections are closed.
    export: (visitor) => reading.inTurn(() => exporter.run(visitor)),
    async deleteExpired(now) {
      noteReaders();
      // Compared later, `now` would be behind the stopwatch, and the next comparison would take that for a jump of the clock.
      const bounds = { expiredAt: expiry.cutoff(now), latest: expiry.latest(now) };
      const eventsUntil = expiry.cutoff(now, eventRetentionMs);
      while (await writer.write("deleteExpiredRecords", { now, ...bounds }));
      while (await writer.write("forgetEvents", eventsUntil));
    },
    requireReady(kind) {
      if (kind === "reads")
        return void reading.inTurn(({ database }) => database.query("SELECT 1 FROM pets LIMIT 1").get());
      faults.refuseWrites();
      return writer.ready();
    },
    async close() {
      // The writer goes last, because only it may fold the log into the file. What is still open here when the process
      // ends, the runtime would fold.
      eventWatch.close();
      reading.close();
      await writer.close();
    },
  });
}

function watchReads({ metrics }: StoreTelemetry, reading: Reading): void {
  addRecordGauge(metrics, () =>
    reading.inTurn(({ countRecords }) =>
      countRecords(Date.now() - recordLifetimeMs, async (count) => {
        await nextTick();
        return reading.inTurn(count);
      }),
    ),
  );
  addEventLogGauge(metrics, async () => reading.inTurn(({ eventLogBytes }) => eventLogBytes()));
}

/** Returns the reads on whichever connection is open. Slow ones are logged by their names, such as `pets.list`. */
function timedReads(reading: Reading, watch: StoreTelemetry): Reads {
  type AnyRead = (...values: unknown[]) => unknown;
  type AnyReads = Readonly<Record<string, Readonly<Record<string, AnyRead>>>>;
  const readsNow = () => reading.inTurn(({ reads }) => reads as unknown as AnyReads);
  const timed = (part: string, name: string): AnyRead => {
    const title = `${part}.${name}`;
    return (...values) => {
      const startedAt = performance.now();
      const result = reading.inTurn(({ reads }) => (reads as unknown as AnyReads)[part]?.[name]?.(...values));
      logIfSlow(watch, title, performance.now() - startedAt);
      return result;
    };
  };
  const parts = Object.entries(readsNow()).map(([part, reads]) => {
    return [part, Object.fromEntries(Object.keys(reads).map((name) => [name, timed(part, name)]))];
  });
  return Object.fromEntries(parts);
}

function engineOf(reads: StoreReads, reading: Reading, writer: Writer, expiry: Expiry): Engine<Context> {
  return {
    reads,
    ownWrites: {
      pets: {
        create: ({ write }, pet) => write("createPet", pet),
        createAll: async ({ write }, batch) => withIds(batch, await write("createPets", flattenPets(batch))),
      },
      webhooks: {
        async acquireLeases({ write }, ...values) {
          // Nothing is written as long as there is nothing to deliver to.
          const hasEnabled = reading.inTurn(({ enabledWebhook }) => enabledWebhook.get() !== null);
          return hasEnabled ? await write("leaseWebhooks", values) : [];
        },
        releaseLeases: ({ write }, ...values) => write("releaseWebhooks", values),
        saveProgress: ({ write }, ...values) => write("recordProgress", values),
      },
    },
    run: ({ write }, shared) => write("shared", shared),
    contextFor: (origin, time) => ({
      origin,
      time,
      write: (name, argument) => writer.write(name, argument, { origin, time }),
    }),
    withIdempotency: (record, { origin, time }) => ({
      origin,
      time,
      write: limitToOneWrite((name, argument) =>
        writer.write(name, argument, { origin, time, record, expiredAt: expiry.cutoff(record.at) }),
      ),
    }),
  };
}

interface Context extends WriteContext {
  readonly write: <Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
  ) => Promise<ReturnType<Writes[Name]>>;
}

/** How soon others' events are noticed; one's own are at once. */
const lookEveryMs = 1_000;

/** What opening the file would do to its schema: all of it in one transaction, which nobody can write beside. Throws StoreOpenError. */
export function planSqliteMigration(path: string): MigrationPlan {
  return withExplainedErrors(path, () => {
    requireWritable(path);
    const { version } = examineVersion(path);
    requireComplete(path);
    const pending = pendingMigrations(version).map((name) => ({ name, isOnline: false }));
    return { pending, isNewer: version > newestVersion, grants: [] };
  });
}

/** Several programs may create or migrate a file at once: SQLite lets one of them, and the others try again. */
function openReader(path: string, mustExist: boolean): Database {
  const end = performance.now() + maxLockMs;
  for (;;) {
    try {
      requireWritable(path);
      requireOwnWal(path);
      if (!examineFile(path)) {
        if (mustExist) throw storeNotFound(path);
        createFile(path);
      }
      restrictToOwner(path);
      removeLeftovers(path);
      prepareFile(path);
      return connectReader(path);
    } catch (error) {
      if (!isTransient(toFailure(error)) || performance.now() > end) throw explainOpenError(path, error);
    }
    Bun.sleepSync(20);
  }
}

const maxLockMs = 5_000;

function prepareFile(path: string): void {
  const database = connectWriter(path);
  try {
    if (schemaVersion(database).version < newestVersion) migrate(database);
    requireWalIndexSpace(path);
    database.run("PRAGMA journal_mode = WAL");
    removeSecondNames(path);
  } finally {
    database.close(true);
  }
}
