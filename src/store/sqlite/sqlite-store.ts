import type { Database } from "bun:sqlite";
import { setTimeout } from "node:timers/promises";
import { removeLeftovers } from "../../base/files.ts";
import type { ServiceError } from "../../domain/errors.ts";
import { assembleStore, type Engine, type StoreReads } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { withIds } from "../id-ranges.ts";
import { defaultIdempotencyLimits } from "../idempotency-quota.ts";
import type { MigrationPlan, Store, StoreTelemetry } from "../store.ts";
import { limitToOneWrite, recordLifetimeMs } from "../stored-outcome.ts";
import { addEventLogGauge, addRecordGauge, fillTelemetry, logIfSlow, type StoreOptions } from "../telemetry.ts";
import { connectReader, connectWriter, maxLockMs } from "./connection/connect.ts";
import { FileFaults } from "./connection/file-faults.ts";
import { TickTransaction } from "./connection/tick-transaction.ts";
import { isTransient, ReportedFailure, reopeningFailure, type SqliteFailure, toFailure } from "./errors.ts";
import { prepareEventLogEstimate } from "./events.ts";
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
import { requireWalIndexSpace } from "./file/wal.ts";
import { hasWriteLock, watchWalReaders } from "./file/wal-locks.ts";
import { prepareRecordCounts } from "./idempotency.ts";
import { flattenPets } from "./pets.ts";
import { prepareReads, type Reads } from "./reads.ts";
import { listPendingMigrations, migrate, newestVersion, readSchemaVersion } from "./schema/migrate.ts";
import { requireComplete } from "./schema/schema-parts.ts";
import { type WriteContext, Writer } from "./writer/writer.ts";
import type { Writes } from "./writer/writer-worker.ts";

type Options = Omit<StoreOptions, "poolSize">;

export async function openSqliteStore(path: string, options: Options): Promise<Store> {
  const reader = openReader(path, options.mustExist === true);
  try {
    return createStore(await openParts(path, reader, options), options);
  } catch (error) {
    reader.close();
    throw explainOpenError(path, error);
  }
}

async function openParts(path: string, reader: Database, options: Options) {
  const { onDeath, idempotencyLimits = defaultIdempotencyLimits, isBulk = false } = options;
  const telemetry = fillTelemetry(options);
  const faults = new FileFaults(telemetry);
  // A lock that SQLite could not release stays until all connections are closed, and causes SQLITE_PROTOCOL after a wait of ten seconds.
  const handleFailure = (failure: SqliteFailure, isLockStuck = false) => {
    if (isLockStuck || failure.code === "SQLITE_PROTOCOL") reopenAll(reading, writer, exporter);
    else faults.report(failure, writer);
  };
  const reading = new ReadConnection((failure) => {
    handleFailure(failure);
    return faults.toReadError(failure);
  });
  const readNewest = () => reading.read(({ reads }) => reads.events.ends()?.newest.position ?? 0);
  const eventWatch = new EventWatch(readNewest, pollIntervalMs);
  const onCommit = () => {
    reading.endTick();
    eventWatch.check();
  };
  const onFailure = (failure: SqliteFailure) =>
    handleFailure(failure, failure.code === "SQLITE_BUSY" && hasWriteLock());
  const openOptions = { path, idempotencyLimits, isBulk };
  const writer = await Writer.open({ openOptions, faults, telemetry, onDeath, onCommit, onFailure });
  const exporter = new Exporter(path, writer, reading.attempt, telemetry);
  reading.open(reader);
  return { reading, eventWatch, writer, exporter, faults, telemetry };
}

/** Closes all connections, and reopens them when the disk allows. Does nothing during an export: the next failure calls this again. */
async function reopenAll(reading: ReadConnection, writer: Writer, exporter: Exporter): Promise<void> {
  if (!(await writer.areFilesThere()) || !reading.readers || exporter.runningCount > 0) return;
  const reason = "a lock could not be released, so the database is opened again";
  exporter.telemetry.note("error", `the disk reported an error: ${reason}`, {});
  do {
    try {
      reading.close();
      await writer.reopen();
      reading.open(connectReader(exporter.path));
    } catch {
      // The disk still reports errors, and each request gets 503 with the reason.
      await setTimeout(reopenIntervalMs, undefined, { ref: false });
    }
  } while (!reading.readers);
}

const reopenIntervalMs = 1_000;

class ReadConnection {
  readers: Readers | undefined;

  constructor(readonly explain: (failure: SqliteFailure) => ServiceError) {}

  open(database: Database): void {
    this.readers = prepareReaders(database);
  }

  readonly attempt = <Result>(read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      throw this.explain(toFailure(error));
    }
  };

  read<Result>(read: (readers: Readers) => Result): Result {
    return this.attempt(() => {
      const { readers } = this;
      if (!readers) throw new ReportedFailure(reopeningFailure);
      readers.tick.begin();
      return read(readers);
    });
  }

  endTick(): void {
    this.readers?.tick.end();
  }

  close(): void {
    const { readers } = this;
    this.endTick();
    this.readers = undefined;
    readers?.database.close(true);
  }
}

type Readers = ReturnType<typeof prepareReaders>;

function prepareReaders(database: Database) {
  return {
    database,
    tick: new TickTransaction(database),
    reads: prepareReads(database),
    enabledWebhook: database.prepare("SELECT 1 FROM webhooks WHERE status = 'enabled' LIMIT 1"),
    eventLogBytes: prepareEventLogEstimate(database),
    countRecords: prepareRecordCounts(database),
  };
}

function createStore(parts: Awaited<ReturnType<typeof openParts>>, options: Options): Store {
  const { reading, eventWatch, writer, exporter, faults, telemetry } = parts;
  const expiry = new Expiry(telemetry.note, options.stopwatch);
  addGauges(exporter.path, telemetry, reading);
  const logWalReaders = watchWalReaders(exporter.path, telemetry.note, () => exporter.runningCount > 0);
  const { counts, events, transfer, ...reads } = timeReads(reading, telemetry);
  return assembleStore(createEngine(reads, reading, writer, expiry), {
    ...counts,
    transfer: {
      ...transfer,
      write: (table, rows) => writer.write("writeRows", { table, rows }),
      reserveIds: (last) => writer.write("reserveIds", last),
    },
    clock: Date.now,
    freshness: { currentVersion: () => reading.read(({ tick }) => tick.currentVersion()) },
    events: { ...events, watch: (onMore) => eventWatch.add(onMore) },
    // Runs as a read, so that the export is refused while the connections are closed.
    export: (visitor) => reading.read(() => exporter.run(visitor)),
    async deleteExpired(now) {
      logWalReaders();
      // Both bounds are computed at once: later, `now` would be behind the stopwatch, which would look like a jump of the clock.
      const bounds = { cutoff: expiry.cutoff(now), maxDate: expiry.maxDate(now) };
      const eventCutoff = expiry.cutoff(now, options.eventRetentionMs ?? defaultEventRetentionMs);
      while (await writer.write("deleteExpiredRecords", { now, ...bounds }));
      while (await writer.write("deleteEvents", eventCutoff));
    },
    requireReady(kind) {
      if (kind === "reads")
        return void reading.read(({ database }) => database.query("SELECT 1 FROM pets LIMIT 1").get());
      faults.requireUndamaged();
      return writer.requireReady();
    },
    async close() {
      // The writer is closed last, because only its connection may checkpoint the WAL.
      eventWatch.close();
      reading.close();
      await writer.close();
    },
  });
}

function addGauges(path: string, { metrics }: StoreTelemetry, reading: ReadConnection): void {
  metrics.watch("gauge", "sqlite_file_bytes", "Size of the database's files.", () => [
    [{ file: "database" }, sizeOf(path)],
    [{ file: "wal" }, sizeOf(walOf(path))],
  ]);
  addRecordGauge(metrics, async () => reading.read(({ countRecords }) => countRecords(Date.now() - recordLifetimeMs)));
  addEventLogGauge(metrics, async () => reading.read(({ eventLogBytes }) => eventLogBytes()));
}

/** Returns functions that read on whichever connection is open at the time, and log slow reads by their names, such as `pets.list`. */
function timeReads(reading: ReadConnection, telemetry: StoreTelemetry): Reads {
  type AnyReads = Readonly<Record<string, Readonly<Record<string, (...values: unknown[]) => unknown>>>>;
  const timeRead = (part: string, name: string) => {
    const title = `${part}.${name}`;
    return (...values: unknown[]) => {
      const startedAt = performance.now();
      const result = reading.read(({ reads }) => (reads as unknown as AnyReads)[part]?.[name]?.(...values));
      logIfSlow(telemetry, title, performance.now() - startedAt);
      return result;
    };
  };
  const parts = Object.entries(reading.read(({ reads }) => reads)).map(([part, reads]) => {
    return [part, Object.fromEntries(Object.keys(reads).map((name) => [name, timeRead(part, name)]))];
  });
  return Object.fromEntries(parts);
}

function createEngine(reads: StoreReads, reading: ReadConnection, writer: Writer, expiry: Expiry): Engine<Context> {
  const withWrite = (context: WriteContext): Context => ({
    origin: context.origin,
    time: context.time,
    write: (name, argument) => writer.write(name, argument, context),
  });
  return {
    reads,
    ownWrites: {
      pets: {
        create: ({ write }, pet) => write("createPet", pet),
        createAll: async ({ write }, batch) => withIds(batch, await write("createPets", flattenPets(batch))),
      },
      webhooks: {
        async acquireLeases({ write }, ...values) {
          // Without an enabled webhook, polling must not cause writes.
          const hasEnabled = reading.read(({ enabledWebhook }) => enabledWebhook.get() !== null);
          return hasEnabled ? await write("leaseWebhooks", values) : [];
        },
        releaseLeases: ({ write }, ...values) => write("releaseWebhooks", values),
        saveProgress: ({ write }, ...values) => write("saveProgress", values),
      },
    },
    run: ({ write }, shared) => write("shared", shared),
    contextFor: (origin, time) => withWrite({ origin, time }),
    withIdempotency(record, { origin, time }) {
      const context = withWrite({ origin, time, record, expiryCutoff: expiry.cutoff(record.at) });
      return { ...context, write: limitToOneWrite(context.write) };
    },
  };
}

interface Context extends WriteContext {
  readonly write: <Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
  ) => Promise<ReturnType<Writes[Name]>>;
}

const pollIntervalMs = 1_000;

export function planSqliteMigration(path: string): MigrationPlan {
  return withExplainedErrors(path, () => {
    requireWritable(path);
    const { version } = examineVersion(path);
    requireComplete(path);
    const pending = listPendingMigrations(version).map((name) => ({ name, isOnline: false }));
    return { pending, isNewer: version > newestVersion, missingGrants: [] };
  });
}

/** Creates or migrates the file before opening it. Retries while another program does the same. */
function openReader(path: string, mustExist: boolean): Database {
  const deadline = performance.now() + maxLockMs;
  for (;;) {
    try {
      requireWritable(path);
      if (!examineFile(path)) {
        if (mustExist) throw storeNotFound(path);
        createFile(path);
      }
      restrictToOwner(path);
      removeLeftovers(path);
      prepareFile(path);
      return connectReader(path);
    } catch (error) {
      if (!isTransient(toFailure(error)) || performance.now() > deadline) throw explainOpenError(path, error);
    }
    Bun.sleepSync(20);
  }
}

function prepareFile(path: string): void {
  const database = connectWriter(path);
  try {
    if (readSchemaVersion(database).version < newestVersion) migrate(database);
    requireWalIndexSpace(path);
    database.run("PRAGMA journal_mode = WAL");
  } finally {
    database.close(true);
  }
}
