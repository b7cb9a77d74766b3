import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "../../../packages/client/src/errors.ts";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { ServiceError } from "../../domain/errors.ts";
import { decodeEventCursor, type EventCursor, encodeEventCursor } from "../../domain/event-cursor.ts";
import { StillInProgress } from "../../domain/idempotency.ts";
import type { NewPet } from "../../domain/pet.ts";
import { latest } from "../../operations/events/list-events.ts";
import { readNewestCursor, requireUnchanged } from "../../operations/events/read-events.ts";
import { maxBatchSize } from "../../operations/pets/schemas.ts";
import { openExistingStore } from "../../store/open-store.ts";
import { type Connection, connect } from "../remote/connection.ts";
import { openForCommand } from "../store/open-for-command.ts";
import { unlessAborted } from "../terminal/interruption.ts";

export interface Destination extends AsyncDisposable {
  readonly identity: string;
  readonly batchSize: number;
  /** Adds animals in order, unless an earlier call with the same key has added them. Returns the reason for each refusal by index. */
  add(key: string, pets: readonly NewPet[]): Promise<{ isRepeated: boolean; refused: ReadonlyMap<number, string> }>;
  /** Returns a cursor at the end of the event log; undefined while the event log is empty. */
  readMark(): Promise<string | undefined>;
  /** Returns false if the mark certainly comes from another event log. */
  hasHistory(mark: string): Promise<boolean>;
}

export const dryRunDestination: Destination = {
  identity: "",
  batchSize: maxBatchSize,
  add: async () => ({ isRepeated: false, refused: new Map() }),
  readMark: async () => undefined,
  hasHistory: async () => true,
  async [Symbol.asyncDispose]() {},
};

/** Long enough for a service to restart during an import. */
const maxRetryMs = 300_000;

export function openServiceDestination(connection: Connection, signal: AbortSignal): Destination {
  const { url, store } = connect(connection, { maxRetries: 30, deadlineMs: maxRetryMs });
  return {
    identity: url,
    batchSize: maxBatchSize,
    async add(idempotencyKey, pets) {
      const options = { atomic: false, idempotencyKey, signal };
      const { data, headers } = await store.pets.createMany(pets, options).withResponse();
      const refused = data.results.flatMap(({ index, error }) => (error ? [[index, error.message] as const] : []));
      return { isRepeated: headers.get("Idempotent-Replayed") === "true", refused: new Map(refused) };
    },
    async readMark() {
      const { next } = await store.events.list({ cursor: latest, limit: 1 }, { signal }).page();
      return next && toMark(decodeEventCursor(next));
    },
    hasHistory: (cursor) => isUnchanged(() => store.events.list({ cursor, limit: 1 }, { signal }).page()),
    async [Symbol.asyncDispose]() {},
  };
}

/** Returns undefined for the start of the event log, which is the same in every store, and so identifies no store. */
function toMark(cursor: EventCursor | undefined): string | undefined {
  return cursor && cursor.position > 0 ? encodeEventCursor(cursor) : undefined;
}

/** Returns false if `read` fails because its cursor comes from another event log. Gone means that the cursor is too old to decide. */
async function isUnchanged(read: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    const code = error instanceof ApiError || error instanceof ServiceError ? error.code : undefined;
    if (code !== "Conflict" && code !== "Gone") throw error;
    return code === "Gone";
  }
}

export async function openStoreDestination(database: DatabaseAddress, signal: AbortSignal): Promise<Destination> {
  const opened = await openForCommand(openExistingStore, database, { isBulk: true });
  const { store } = opened;
  return {
    identity: JSON.stringify(database),
    // Larger than the batches of the API, because larger transactions write each index page less often.
    batchSize: 4_000,
    async add(key, pets) {
      let isRepeated = false;
      const record = {
        name: createHash("sha256").update(key).digest(),
        fingerprint: createHash("sha256").update("import").digest(),
        family: "environment",
        at: store.clock(),
        onReplay() {
          isRepeated = true;
        },
      } as const;
      await retryWhileInProgress(() => store.withIdempotency(record).pets.createAll(pets), signal);
      return { isRepeated, refused: new Map() };
    },
    readMark: async () => toMark(await readNewestCursor(store.events)),
    async hasHistory(mark) {
      const cursor = decodeEventCursor(mark);
      return cursor !== undefined && (await isUnchanged(async () => await requireUnchanged(store.events, cursor)));
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Retries while a concurrent import adds the same animals, or PostgreSQL still executes the statement of a killed import. */
async function retryWhileInProgress(add: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + maxRetryMs;
  for (;;) {
    try {
      await add();
      return;
    } catch (error) {
      if (!(error instanceof StillInProgress)) throw error;
      if (performance.now() > deadline) throw new ServiceError("Conflict", stillInProgress);
    }
    await unlessAborted(setTimeout(pollEveryMs), signal);
  }
}

const pollEveryMs = 100;
const stillInProgress = "Another import is still adding these animals. Run the same command again later.";
