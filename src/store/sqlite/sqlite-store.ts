import type { Database } from "bun:sqlite";
import { setTimeout } from "node:timers/promises";
import { removeLeftovers } from "../../base/files.ts";
import { nextTurn } from "../../base/turn.ts";
import type { Claim } from "../../domain/claim.ts";
import type { ServiceError } from "../../domain/errors.ts";
import type { Origin } from "../../domain/event.ts";
import { actingStores, type WritingParts } from "../acting-store.ts";
import { watchClaims, watchEventLog } from "../claim-counts.ts";
import { usualClaimLimits } from "../claim-room.ts";
import { claimLifetimeMs, forOneWrite } from "../conclusion.ts";
import { EventWatch, usualEventRetentionMs } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { orderConditions, petConditions } from "../filter.ts";
import { withIds } from "../id-ranges.ts";
import type { Attribution, MigrationPlan, Store, StoreWatch } from "../store.ts";
import { type AdapterOptions, noteIfSlow, watchOf } from "../watch.ts";
import { listByName } from "./by-name.ts";
import { categoryReader } from "./categories.ts";
import { claimCounts } from "./claims.ts";
import { connectReader, connectWriter } from "./connection/connect.ts";
import { FileFaults } from "./connection/file-faults.ts";
import { SqliteFreshness } from "./connection/freshness.ts";
import { ReadTurn } from "./connection/read-turn.ts";
import { isLockOfReader, isPassing, ReportedFailure, reopening, type SqliteFailure, toFailure } from "./errors.ts";
import { eventReader } from "./events.ts";
import { Exporter } from "./export.ts";
import { createFile, restrictToOwner, sizeOf, walOf } from "./file/database-files.ts";
import { examineFile, examineVersion, explained, explainOpenError, noStore, requireWritable } from "./file/examine.ts";
import { removeSecondNames, requireOwnWal } from "./file/second-name.ts";
import { hasWriteLock, requireRoom } from "./file/wal.ts";
import { watchWalReaders } from "./file/wal-readers.ts";
import { categoryInventoryReader, inventoryReader } from "./inventory.ts";
import { KeyReader } from "./keys.ts";
import { orderReader } from "./orders.ts";
import { flatten, petReader } from "./pets.ts";
import { migrate, newestVersion, pendingMigrations, schemaVersion } from "./schema/migrate.ts";
import { requireComplete } from "./schema/schema-parts.ts";
import { TransferReader } from "./transfer.ts";
import { WebhookReader } from "./webhooks.ts";
import { Writer } from "./writer/writer.ts";
import type { Writes } from "./writer/writer-worker.ts";

/** Opens the database, creating or migrating it first. Throws StoreOpenError. */
export async function openSqliteStore(
  path: string,
  {
    mustExist = false,
    onDeath,
    claimLimits = usualClaimLimits,
    eventRetentionMs = usualEventRetentionMs,
    stopwatch,
    isBulk = false,
    ...options
  }: Omit<AdapterOptions, "poolSize">,
): Promise<Store> {
  const watch = watchOf(options);
  const attribution: Attribution = { request: undefined };
  const reader = openReader(path, mustExist);
  try {
    const faults = new FileFaults(watch);
    // SQLite ignores that it could not release a lock, and does not take it again before all connections were closed.
    const handle = (failure: SqliteFailure, hasStuckLock: boolean) => {
      if (hasStuckLock) reopenAll(path, { reading, writer, exporter, watch });
      else faults.report(failure, writer);
    };
    const reading = new Reading((failure) => {
      handle(failure, isLockOfReader(failure));
      return faults.toReadError(failure);
    });
    const eventWatch = new EventWatch(
      () => reading.inTurn(({ events }) => events.ends()?.newest.position ?? 0),
      lookEveryMs,
    );
    const onCommit = () => {
      reading.endTurn();
      eventWatch.look();
    };
    const onFailure = (failure: SqliteFailure) =>
      handle(failure, isLockOfReader(failure) || (failure.code === "SQLITE_BUSY" && hasWriteLock()));
    const openMessage = { open: path, claimLimits, isBulk };
    const writer = await Writer.open({ openMessage, faults, attribution, watch, onDeath, onCommit, onFailure });
    const exporter = new Exporter(path, writer, reading.attempt, watch);
    reading.open(reader);
    watchFiles(path, watch);
    const expiry = new Expiry(watch.note, stopwatch);
    return storeOf({ reading, eventWatch, writer, exporter, faults, attribution, watch, expiry, eventRetentionMs });
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
    events: eventReader(database),
    pets: petReader(database),
    orders: orderReader(database),
    categories: categoryReader(database),
    keys: new KeyReader(database),
    inventory: inventoryReader(database),
    inventoryOf: categoryInventoryReader(database),
    transfer: new TransferReader(database),
    webhooks: new WebhookReader(database),
    countClaims: claimCounts(database),
  };
}

function watchFiles(path: string, { metrics }: StoreWatch): void {
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
  readonly attribution: Attribution;
  readonly watch: StoreWatch;
  readonly expiry: Expiry;
  readonly eventRetentionMs: number;
}

function storeOf(from: Parts): Store {
  const { eventWatch, writer, exporter, faults, attribution, watch, expiry, eventRetentionMs } = from;

  const reading = <Result>(name: string, read: (readers: Readers) => Result): Result => {
    const startedAt = performance.now();
    const result = from.reading.inTurn(read);
    const elapsedMs = performance.now() - startedAt;
    if (attribution.request) attribution.request.storeMs += elapsedMs;
    noteIfSlow(watch, name, elapsedMs);
    return result;
  };

  watchClaims(watch.metrics, () =>
    from.reading.inTurn(({ countClaims }) =>
      countClaims(Date.now() - claimLifetimeMs, async (count) => {
        await nextTurn();
        return from.reading.inTurn(count);
      }),
    ),
  );

  watchEventLog(watch.metrics, async () => from.reading.inTurn(({ events }) => events.estimateBytes()));
  const wayOf = (origin?: Origin): Way => ({ origin, write: (name, argument) => writer.write(name, argument, origin) });
  const under = (claim: Claim, { origin }: Way): Way => ({
    origin,
    write: forOneWrite((name, argument) => writer.write(name, argument, origin, claim, expiry.cutoff(claim.at))),
  });
  const parts: WritingParts<Way> = {
    pets: ({ write }) => ({
      list: (filter, page) =>
        reading("pets.list", ({ pets }) =>
          filter.name === undefined ? pets.list(petConditions(filter), page) : listByName(pets, filter.name, page),
        ),
      get: (id) => reading("pets.get", ({ pets }) => pets.get(id)),
      create: (pet) => write("createPet", pet),
      createAll: async (batch) => withIds(batch, await write("createPets", flatten(batch))),
      update: (...values) => write("updatePet", values),
      delete: (...values) => write("deletePet", values),
    }),
    orders: ({ write }) => ({
      list: (filter, page) => reading("orders.list", ({ orders }) => orders.list(orderConditions(filter), page)),
      get: (id) => reading("orders.get", ({ orders }) => orders.get(id)),
      place: (...values) => write("placeOrder", values),
      close: (...values) => write("closeOrder", values),
    }),
    categories: ({ write }) => ({
      list: ({ name }, page) =>
        reading("categories.list", ({ categories }) =>
          name === undefined ? categories.list([], page) : listByName(categories, name, page),
        ),
      get: (id) => reading("categories.get", ({ categories }) => categories.get(id)),
      put: (...values) => write("putCategory", values),
      delete: (...values) => write("deleteCategory", values),
    }),
    keys: ({ write }) => ({
      list: (page) => reading("keys.list", ({ keys }) => keys.list([], page)),
      get: (id) => reading("keys.get", ({ keys }) => keys.get(id)),
      find: (hash) => reading("keys.find", ({ keys }) => keys.find(hash)),
      create: (...values) => write("createKey", values),
      createFirst: (...values) => write("createFirstKey", values),
      rotate: (...values) => write("rotateKey", values),
      revoke: (...values) => write("revokeKey", values),
      recordUse: (uses) => write("recordKeyUse", uses),
    }),
    webhooks: ({ write }) => ({
      list: (page) => reading("webhooks.list", ({ webhooks }) => webhooks.list([], page)),
      get: (id) => reading("webhooks.get", ({ webhooks }) => webhooks.get(id)),
      create: (...values) => write("createWebhook", values),
      update: (...values) => write("updateWebhook", values),
      delete: (...values) => write("deleteWebhook", values),
      rotate: (...values) => write("rotateWebhook", values),
      replay: (...values) => write("replayWebhook", values),
      retry: (...values) => write("retryDelivery", values),
      deliveries: (id, limit) => reading("webhooks.deliveries", ({ webhooks }) => webhooks.deliveries(id, limit)),
      delivery: (id) => reading("webhooks.delivery", ({ webhooks }) => webhooks.delivery(id)),
      beginDelivery: (...values) => write("beginDelivery", values),
      endDelivery: (...values) => write("endDelivery", values),
      secrets: (id) => reading("webhooks.secrets", ({ webhooks }) => webhooks.secrets(id)),
      async lease(...values) {
        // Nothing is written for as long as there is nothing to deliver to.
        if (!reading("webhooks.hasEnabled", ({ webhooks }) => webhooks.hasEnabled())) return [];
        return await write("leaseWebhooks", values);
      },
      release: (...values) => write("releaseWebhooks", values),
      parked: (id) => reading("webhooks.parked", ({ webhooks }) => webhooks.parked(id)),
      record: (...values) => write("recordProgress", values),
    }),
  };
  const asOperator = wayOf();
  const noteReaders = watchWalReaders(exporter.path, watch.note, () => exporter.running > 0);
  const store: Store = {
    pets: parts.pets(asOperator),
    orders: parts.orders(asOperator),
    categories: parts.categories(asOperator),
    keys: parts.keys(asOperator),
    webhooks: parts.webhooks(asOperator),
    transfer: {
      count: (table) => reading("transfer.count", ({ transfer }) => transfer.count(table)),
      read: (table, after, limit) => reading("transfer.read", ({ transfer }) => transfer.read(table, after, limit)),
      write: (table, rows) => writer.write("writeRows", { table, rows }),
      lastIds: () => reading("transfer.lastIds", ({ transfer }) => transfer.lastIds()),
      reserveIds: (last) => writer.write("reserveIds", last),
    },
    clock: Date.now,
    attribution,
    inventory: () => reading("inventory", ({ inventory }) => inventory()),
    inventoryOf: (categoryId) => reading("inventory", ({ inventoryOf }) => inventoryOf(categoryId)),
    freshness: { now: () => from.reading.inTurn(({ freshness }) => freshness.now()) },
    events: {
      read: (filter, after, limit) => reading("events.read", ({ events }) => events.read(filter, after, limit)),
      readBack: (filter, from, limit) =>
        reading("events.readBack", ({ events }) => events.readBack(filter, from, limit)),
      idAt: (position) => reading("events.idAt", ({ events }) => events.idAt(position)),
      ends: () => reading("events.ends", ({ events }) => events.ends()),
      watch: (onMore) => eventWatch.add(onMore),
    },
    // Refused while the connections are closed.
    export: (visitor) => from.reading.inTurn(() => exporter.run(visitor)),
    by: (origin) => actingIn(wayOf(origin)),
    once: (claim) => actingIn(under(claim, asOperator)),
    async tidy(now) {
      noteReaders();
      const bounds = { expiredAt: expiry.cutoff(now), latest: expiry.latest(now) };
      while (await writer.write("forgetClaims", { now, ...bounds }));
      while (await writer.write("forgetEvents", expiry.cutoff(now, eventRetentionMs)));
    },
    ready(kind) {
      if (kind === "reads")
        return void from.reading.inTurn(({ database }) => database.query("SELECT 1 FROM pets LIMIT 1").get());
      faults.refuseWrites();
      return writer.ready();
    },
    async close() {
      // The writer goes last, because only it may fold the log into the file. What is still open here when the process
      // ends, the runtime would fold.
      eventWatch.close();
      from.reading.close();
      await writer.close();
    },
  };
  const actingIn = actingStores(store, parts, under);
  return store;
}

/** Whose doing writes are, and how they are made. */
interface Way {
  readonly origin: Origin | undefined;
  readonly write: StoreWrite;
}

type StoreWrite = <Name extends keyof Writes>(
  name: Name,
  argument: Parameters<Writes[Name]>[0],
) => Promise<ReturnType<Writes[Name]>>;

/** How soon others' events are noticed; one's own are at once. */
const lookEveryMs = 1_000;

/** What opening the file would do to its schema: all of it in one transaction, which nobody can write beside. Throws StoreOpenError. */
export function planSqliteMigration(path: string): MigrationPlan {
  return explained(path, () => {
    requireWritable(path);
    const { version } = examineVersion(path);
    requireComplete(path);
    const pending = pendingMigrations(version).map((name) => ({ name, isOnline: false }));
    return { pending, isNewer: version > newestVersion, grants: [] };
  });
}

/** Several programs may create or migrate a file at once: SQLite lets one of them, and the others try again. */
function openReader(path: string, mustExist: boolean): Database {
  const end = performance.now() + longestLockMs;
  for (;;) {
    try {
      requireWritable(path);
      requireOwnWal(path);
      if (!examineFile(path)) {
        if (mustExist) throw noStore(path);
        createFile(path);
      }
      restrictToOwner(path);
      removeLeftovers(path);
      prepareFile(path);
      return connectReader(path);
    } catch (error) {
      if (!isPassing(toFailure(error)) || performance.now() > end) throw explainOpenError(path, error);
    }
    Bun.sleepSync(20);
  }
}

const longestLockMs = 5_000;

function prepareFile(path: string): void {
  const database = connectWriter(path);
  try {
    if (schemaVersion(database).version < newestVersion) migrate(database);
    requireRoom(path);
    database.run("PRAGMA journal_mode = WAL");
    removeSecondNames(path);
  } finally {
    database.close(true);
  }
}
