import type { RefusalCode } from "../../../src/domain/errors.ts";
import { ServiceError } from "../../../src/domain/errors.ts";
import type { IndexedFilter, LoggedEvent } from "../../../src/domain/event.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreOptions } from "../../../src/store/telemetry.ts";
import { type Engine, makeEmptyDatabase, type TestDatabase } from "../../support/database.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  readonly database: TestDatabase;
}

export type Open = (options?: Partial<StoreOptions>) => Promise<StoreUnderTest>;

/** A store of its own for one test. */
export async function openStoreUnderTest(engine: Engine, options: Partial<StoreOptions> = {}): Promise<StoreUnderTest> {
  const database = await makeEmptyDatabase(engine);
  const store = await openStore(database.address, {
    poolSize: 4,
    onDeath(reason) {
      throw new Error(`The writer died: ${reason}`);
    },
    ...options,
  });
  return {
    store,
    database,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A stopwatch that a test moves; together with the times that it gives the store, it says how much time has passed. */
export function movableStopwatch() {
  const time = {
    elapsedMs: 0,
    stopwatch: () => time.elapsedMs,
    /** Lets time pass up to that moment, and returns the moment. */
    until(now: number): number {
      time.elapsedMs = now;
      return now;
    },
  };
  return time;
}

/** Waits until everything that was written before can be read. */
export async function readAll({ transfer, events }: Store, filter: IndexedFilter = {}): Promise<LoggedEvent[]> {
  const table = { name: "events", title: "", columns: [], identity: [], assignsIds: false };
  await transfer.count(table);
  return [...(await events.read(filter, 0, 1_000)).events];
}

/** Does something many times, a group at once, because writes that wait for too long behind others are turned away. */
export async function inGroups(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const size = 50;
  for (let done = 0; done < count; done += size) {
    await Promise.all(Array.from({ length: Math.min(size, count - done) }, (_, index) => work(done + index)));
  }
}

/** The code and the message of what a call is refused with; anything else fails the test. */
export async function refusal(call: Promise<unknown>): Promise<[RefusalCode, string]> {
  const outcome = await call.then(
    (result) => new Error(`It was not refused, but came to ${JSON.stringify(result)}.`),
    (error) => error,
  );
  if (!(outcome instanceof ServiceError)) throw outcome;
  return [outcome.code, outcome.message];
}
