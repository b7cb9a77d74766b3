import type { Database } from "bun:sqlite";
import { nextTurn } from "../../base/turn.ts";
import type { Claim } from "../../domain/claim.ts";
import type { Origin } from "../../domain/event.ts";
import { ActingStore, type WritingParts } from "../acting-store.ts";
import { watchClaims } from "../claim-counts.ts";
import { type ClaimLimits, usualClaimLimits } from "../claim-room.ts";
import { claimLifetimeMs, forOneWrite } from "../conclusion.ts";
import { EventWatch, usualEventRetentionMs } from "../events.ts";
import { orderConditions, petConditions } from "../filter.ts";
import { withIds } from "../id-ranges.ts";
import type { Attribution, MigrationPlan, Store, StoreWatch } from "../store.ts";
import { noteIfSlow, type WatchOptions, watchOf } from "../watch.ts";
import { listByName } from "./by-name.ts";
import { categoryReader } from "./categories.ts";
import { claimCounts } from "./claims.ts";
import { connectReader, connectWriter } from "./connection/connect.ts";
import { Damage } from "./connection/damage.ts";
import { SqliteFreshness } from "./connection/freshness.ts";
import { ReadTurn } from "./connection/read-turn.ts";
import { isFaultOfFile, isPassing, type SqliteFailure, toFailure, toReadError } from "./errors.ts";
import { EventReader } from "./events.ts";
import { Exporter } from "./export.ts";
import { createFile, tighten } from "./file/create.ts";
import { examineFile, examineVersion, noStore, requireWritable } from "./file/examine.ts";
import { explainOpenError } from "./file/explain.ts";
import { removeLeftovers } from "./file/partial.ts";
import { logOf, sizeOf } from "./file/paths.ts";
import { removeSecondNames, requireOwnLog } from "./file/second-name.ts";
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

/** `note` is called when a damaged page is found in the file. */
export interface SqliteOptions extends WatchOptions {
  /** Whether a file that is not there is refused and not created. */
  readonly mustExist?: boolean | undefined;
  /** Called when the database can no longer be written to, which nothing but a new start can mend. */
  onDeath(reason: string): void;
  readonly claimLimits?: ClaimLimits | undefined;
  readonly eventRetentionMs?: number | undefined;
  readonly isBulk?: boolean | undefined;
}

/** Opens the database, creating or migrating it first. Throws StoreOpenError. */
export async function openSqliteStore(
  path: string,
  {
    mustExist = false,
    onDeath,
    claimLimits = usualClaimLimits,
    eventRetentionMs = usualEventRetentionMs,
    isBulk = false,
    ...options
  }: SqliteOptions,
): Promise<Store> {
  const watch = watchOf(options);
  const attribution: Attribution = { request: undefined };
  const reader = openReader(path, mustExist);
  try {
    const freshness = new SqliteFreshness(reader);
    const turn = new ReadTurn(reader, () => freshness.forget());
    const damage = new Damage();
    const onFailure = async (failure: SqliteFailure) => {
      if (!isFaultOfFile(failure)) return;
      const news = damage.note(failure);
      // What looks like damage may be somebody's hand on the files, which is the end, and told as such.
      if ((await writer.areFilesThere()) && news !== undefined)
        watch.note("error", `the database is damaged: ${news}`, {});
    };
    const events = new EventReader(reader);
    const eventWatch = new EventWatch(() => {
      turn.enter();
      return events.ends()?.newest.position ?? 0;
    }, lookEveryMs);
    const onCommit = () => {
      turn.end();
      eventWatch.look();
    };
    const listener = { onDeath, onCommit, onFailure };
    const writer = await Writer.open(path, { claimLimits, isBulk }, damage, attribution, listener, watch);
    watchFiles(path, watch);
    const reading = { reader, turn, freshness, events, eventWatch };
    return storeOf({ ...reading, writer, damage, onFailure, attribution, watch, eventRetentionMs });
  } catch (error) {
    reader.close();
    throw explainOpenError(path, error);
  }
}

function watchFiles(path: string, { metrics }: StoreWatch): void {
  metrics.watch("gauge", "sqlite_file_bytes", "Size of the database's files.", () => [
    [{ file: "database" }, sizeOf(path)],
    [{ file: "wal" }, sizeOf(logOf(path))],
  ]);
}

/** What a store is put together from. */
interface Parts {
  readonly reader: Database;
  readonly turn: ReadTurn;
  readonly freshness: SqliteFreshness;
  readonly events: EventReader;
  readonly eventWatch: EventWatch;
  readonly writer: Writer;
  readonly damage: Damage;
  onFailure(failure: SqliteFailure): void;
  readonly attribution: Attribution;
  readonly watch: StoreWatch;
  readonly eventRetentionMs: number;
}

function storeOf(from: Parts): Store {
  const { reader, turn, freshness, events, eventWatch, writer, damage, onFailure, attribution, watch } = from;
  const pets = petReader(reader);
  const orders = orderReader(reader);
  const categories = categoryReader(reader);
  const keys = new KeyReader(reader);
  const inventory = inventoryReader(reader);
  const inventoryOf = categoryInventoryReader(reader);
  const transfer = new TransferReader(reader);
  const webhooks = new WebhookReader(reader);

  const attempt = <Result>(read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      const failure = toFailure(error);
      onFailure(failure);
      throw toReadError(failure);
    }
  };

  const inTurn = <Result>(read: () => Result): Result =>
    attempt(() => {
      turn.enter();
      return read();
    });

  const reading = <Result>(name: string, read: () => Result): Result => {
    const startedAt = performance.now();
    const result = inTurn(read);
    const elapsedMs = performance.now() - startedAt;
    if (attribution.request) attribution.request.storeMs += elapsedMs;
    noteIfSlow(watch, name, elapsedMs);
    return result;
  };

  const countClaims = claimCounts(reader);
  watchClaims(watch.metrics, () =>
    countClaims(Date.now() - claimLifetimeMs, async (count) => {
      await nextTurn();
      return inTurn(count);
    }),
  );

  const wayOf = (origin?: Origin): Way => ({ origin, write: (name, argument) => writer.write(name, argument, origin) });
  const under = (claim: Claim, { origin }: Way): Way => ({
    origin,
    write: forOneWrite((name, argument) => writer.write(name, argument, origin, claim)),
  });
  const parts: WritingParts<Way> = {
    pets: ({ write }) => ({
      list: (filter, page) =>
        reading("pets.list", () =>
          filter.name === undefined ? pets.list(petConditions(filter), page) : listByName(pets, filter.name, page),
        ),
      get: (id) => reading("pets.get", () => pets.get(id)),
      create: (pet) => write("createPet", pet),
      createAll: async (batch) => withIds(batch, await write("createPets", flatten(batch))),
      update: (id, changes, expected) => write("updatePet", { id, changes, expected }),
      delete: (id, expected) => write("deletePet", { id, expected }),
    }),
    orders: ({ write }) => ({
      list: (filter, page) => reading("orders.list", () => orders.list(orderConditions(filter), page)),
      get: (id) => reading("orders.get", () => orders.get(id)),
      place: (petId, at) => write("placeOrder", { petId, at }),
      close: (id, status, at, expected) => write("closeOrder", { id, status, at, expected }),
    }),
    categories: ({ write }) => ({
      list: ({ name }, page) =>
        reading("categories.list", () =>
          name === undefined ? categories.list([], page) : listByName(categories, name, page),
        ),
      get: (id) => reading("categories.get", () => categories.get(id)),
      put: (category, expected) => write("putCategory", { category, expected }),
      delete: (id, expected) => write("deleteCategory", { id, expected }),
    }),
    keys: ({ write }) => ({
      list: (page) => reading("keys.list", () => keys.list([], page)),
      get: (id) => reading("keys.get", () => keys.get(id)),
      find: (hash) => reading("keys.find", () => keys.find(hash)),
      create: (key, secret, maker) => write("createKey", { key, secret, maker }),
      createFirst: (key, secret) => write("createFirstKey", { key, secret }),
      rotate: (id, rotation, secret, expected) => write("rotateKey", { id, rotation, secret, expected }),
      revoke: (id, at, keepLastAdmin, expected) => write("revokeKey", { id, at, keepLastAdmin, expected }),
      recordUse: (uses) => write("recordKeyUse", uses),
    }),
    webhooks: ({ write }) => ({
      list: (page) => reading("webhooks.list", () => webhooks.list([], page)),
      get: (id) => reading("webhooks.get", () => webhooks.get(id)),
      create: (webhook, secret, after) => write("createWebhook", { webhook, secret, after }),
      update: (id, changes, at, expected) => write("updateWebhook", { id, changes, at, expected }),
      delete: (id, expected) => write("deleteWebhook", { id, expected }),
      rotate: (id, rotation, secret, expected) => write("rotateWebhook", { id, rotation, secret, expected }),
      replay: (id, after, at) => write("replayWebhook", { id, after, at }),
      retry: (id, deliveryId, at) => write("retryDelivery", { id, deliveryId, at }),
      deliveries: (id, limit) => reading("webhooks.deliveries", () => webhooks.deliveries(id, limit)),
      delivery: (id) => reading("webhooks.delivery", () => webhooks.delivery(id)),
      beginDelivery: (id, delivery) => write("beginDelivery", { id, delivery }),
      endDelivery: (id, delivery) => write("endDelivery", { id, delivery }),
      secrets: (id) => reading("webhooks.secrets", () => webhooks.secrets(id)),
      async lease(owner, now, until, others) {
        // Nothing is written for as long as there is nothing to deliver to.
        if (!reading("webhooks.hasEnabled", () => webhooks.hasEnabled())) return [];
        return await write("leaseWebhooks", { owner, now, until, others });
      },
      release: (owner, except) => write("releaseWebhooks", { owner, except }),
      parked: (id) => reading("webhooks.parked", () => webhooks.parked(id)),
      record: (lease, progress) => write("recordProgress", { lease, progress }),
    }),
  };
  const asOperator = wayOf();
  const exporter = new Exporter(reader.filename, writer, attempt, watch);
  const store: Store = {
    pets: parts.pets(asOperator),
    orders: parts.orders(asOperator),
    categories: parts.categories(asOperator),
    keys: parts.keys(asOperator),
    webhooks: parts.webhooks(asOperator),
    transfer: {
      count: (table) => reading("transfer.count", () => transfer.count(table)),
      read: (table, after, limit) => reading("transfer.read", () => transfer.read(table, after, limit)),
      write: (table, rows) => writer.write("writeRows", { table, rows }),
      lastIds: () => reading("transfer.lastIds", () => transfer.lastIds()),
      reserveIds: (last) => writer.write("reserveIds", last),
    },
    clock: Date.now,
    attribution,
    inventory: () => reading("inventory", inventory),
    inventoryOf: (categoryId) => reading("inventory", () => inventoryOf(categoryId)),
    freshness: { now: () => inTurn(() => freshness.now()) },
    events: {
      read: (filter, after, limit) => reading("events.read", () => events.read(filter, after, limit)),
      readBack: (filter, from, limit) => reading("events.readBack", () => events.readBack(filter, from, limit)),
      idAt: (position) => reading("events.idAt", () => events.idAt(position)),
      ends: () => reading("events.ends", () => events.ends()),
      watch: (onMore) => eventWatch.add(onMore),
    },
    export: (visitor) => exporter.run(visitor),
    by: (origin) => new ActingStore(store, parts, wayOf(origin), under),
    once: (claim) => new ActingStore(store, parts, under(claim, asOperator), under),
    async tidy(now) {
      while (await writer.write("forgetClaims", now));
      while (await writer.write("forgetEvents", now - from.eventRetentionMs));
    },
    ready(kind) {
      if (kind === "reads") return void inTurn(() => reader.query("SELECT 1 FROM pets LIMIT 1").get());
      damage.refuse();
      return writer.ready();
    },
    async close() {
      // The writer goes last, because only it may fold the log into the file. What is still open here when the process
      // ends, the runtime would fold.
      eventWatch.close();
      turn.end();
      reader.close(true);
      await writer.close();
    },
  };
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
  try {
    requireWritable(path);
    const { version } = examineVersion(path);
    requireComplete(path);
    const pending = pendingMigrations(version).map((name) => ({ name, isOnline: false }));
    return { pending, isNewer: version > newestVersion, grants: [] };
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

/** Several programs may create or migrate a file at once: SQLite lets one of them, and the others try again. */
function openReader(path: string, mustExist: boolean): Database {
  const end = performance.now() + longestLockMs;
  for (;;) {
    try {
      requireWritable(path);
      requireOwnLog(path);
      if (examineFile(path) === "nothing") {
        if (mustExist) throw noStore(path);
        createFile(path);
      }
      tighten(path);
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
    database.run("PRAGMA journal_mode = WAL");
    removeSecondNames(path);
  } finally {
    database.close(true);
  }
}
