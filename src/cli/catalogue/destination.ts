import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "../../../packages/client/src/errors.ts";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { fileBehindLinks } from "../../base/files.ts";
import { StillUnderWay } from "../../domain/claim.ts";
import { ServiceError } from "../../domain/errors.ts";
import { decodeEventCursor, type EventCursor, encodeEventCursor } from "../../domain/event-cursor.ts";
import type { NewPet } from "../../domain/pet.ts";
import { newestCursor, requireUnchanged } from "../../operations/events/read-events.ts";
import { latest } from "../../operations/events/schemas.ts";
import { largestBatch } from "../../operations/pets/schemas.ts";
import { openExistingStore } from "../../store/open-store.ts";
import { type Connection, connect, type Patience } from "../remote/connection.ts";
import { openForCommand } from "../store/open-for-command.ts";
import { unlessAborted } from "../terminal/interruption.ts";

/** Where animals are added. */
export interface Destination extends AsyncDisposable {
  /** What it is, so that imports to different ones are not taken for each other. */
  readonly identity: string;
  /** How many animals are added at once. */
  readonly batchSize: number;
  /** Adds animals in their order, unless that was done under the same key within 24 hours. */
  add(key: string, pets: readonly NewPet[]): Promise<Addition>;
  /** Where its log of events ends, as a cursor; undefined as long as nothing has happened. */
  mark(): Promise<string | undefined>;
  /** Whether what had happened up to the mark is still part of its history, as far as that can be told. */
  knows(mark: string): Promise<boolean>;
}

export interface Addition {
  /** Whether it had been done before. */
  readonly isRepeated: boolean;
  /** Why some were not added, by their place. */
  readonly refused: ReadonlyMap<number, string>;
}

/** Adds nothing. */
export const nowhere: Destination = {
  identity: "",
  batchSize: largestBatch,
  add: async () => ({ isRepeated: false, refused: new Map() }),
  mark: async () => undefined,
  knows: async () => true,
  async [Symbol.asyncDispose]() {},
};

/** What is under way ends when the signal is aborted. */
export function serviceDestination(connection: Connection, signal: AbortSignal): Destination {
  const { url, store } = connect(connection, patience);
  return {
    identity: url,
    batchSize: largestBatch,
    async add(idempotencyKey, pets) {
      const options = { atomic: false, idempotencyKey, signal };
      const { data, headers } = await store.pets.createMany(pets, options).withResponse();
      const refused = data.results.flatMap(({ index, error }) => (error ? [[index, error.message] as const] : []));
      return { isRepeated: headers.get("Idempotent-Replayed") === "true", refused: new Map(refused) };
    },
    async mark() {
      const { next } = await store.events.list({ cursor: latest, limit: 1 }, { signal }).page();
      return next && markOf(decodeEventCursor(next));
    },
    knows: (cursor) => isUnchanged(() => store.events.list({ cursor, limit: 1 }, { signal }).page()),
    async [Symbol.asyncDispose]() {},
  };
}

/** A long import should survive a restart of the service. */
const patience = { maxRetries: 30, deadlineMs: 300_000 } satisfies Patience;

/** The beginning of a log is the same in every store. */
function markOf(cursor: EventCursor | undefined): string | undefined {
  return cursor && cursor.position > 0 ? encodeEventCursor(cursor) : undefined;
}

/** Whether a reading of the log from a cursor on finds the history that the cursor is of; Gone means that it is too old to tell. */
async function isUnchanged(read: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    const isRefused = error instanceof ApiError || error instanceof ServiceError;
    if (isRefused && error.code === "Conflict") return false;
    if (isRefused && error.code === "Gone") return true;
    throw error;
  }
}

/** It stops waiting for other imports when the signal is aborted. */
export async function storeDestination(database: DatabaseAddress, signal: AbortSignal): Promise<Destination> {
  const opened = await openForCommand(openExistingStore, database, { isBulk: true });
  const { store } = opened;
  return {
    identity: JSON.stringify(
      database.kind === "sqlite" ? { ...database, path: fileBehindLinks(database.path) } : database,
    ),
    // The more there are in a transaction, the fewer pages of the indexes are written again and again.
    batchSize: 4_000,
    async add(key, pets) {
      let isRepeated = false;
      const claim = {
        name: createHash("sha256").update(key).digest(),
        fingerprint: createHash("sha256").update("import").digest(),
        line: "environment",
        at: store.clock(),
        onReplay() {
          isRepeated = true;
        },
      } as const;
      await afterOthers(() => store.once(claim).pets.createAll(pets), signal);
      return { isRepeated, refused: new Map() };
    },
    mark: async () => markOf(await newestCursor(store.events)),
    async knows(mark) {
      const cursor = decodeEventCursor(mark);
      return cursor !== undefined && (await isUnchanged(async () => await requireUnchanged(store.events, cursor)));
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/**
 * Another import may be adding the same animals: one that was killed, for which PostgreSQL is at work a moment longer, or one
 * that runs beside this one. What becomes of them is known once that has ended.
 */
async function afterOthers(add: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + patience.deadlineMs;
  for (;;) {
    try {
      await add();
      return;
    } catch (error) {
      if (!(error instanceof StillUnderWay)) throw error;
      if (performance.now() > deadline) throw stillImported();
    }
    await unlessAborted(setTimeout(lookEveryMs), signal);
  }
}

const lookEveryMs = 100;

function stillImported(): ServiceError {
  return new ServiceError(
    "Conflict",
    "Another import is still adding these animals. Run the same command again later.",
  );
}
