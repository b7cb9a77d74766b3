import type { RefusalCode } from "../../../src/domain/errors.ts";
import { ServiceError } from "../../../src/domain/errors.ts";
import type { IndexedFilter, LoggedEvent } from "../../../src/domain/event.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreOptions } from "../../../src/store/telemetry.ts";
import { type Engine, makeEmptyDatabase, type TestDatabase } from "../../support/database.ts";
import { untilLogged } from "../../support/history.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  readonly database: TestDatabase;
}

export type Open = (options?: Partial<StoreOptions>) => Promise<StoreUnderTest>;

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

export function createMovableStopwatch() {
  const time = {
    elapsedMs: 0,
    stopwatch: () => time.elapsedMs,
    /** Advances the stopwatch to a time, and returns that time. */
    advanceTo(now: number): number {
      time.elapsedMs = now;
      return now;
    },
  };
  return time;
}

export async function readAll(store: Store, filter: IndexedFilter = {}): Promise<LoggedEvent[]> {
  await untilLogged(store);
  return [...(await store.events.read(filter, 0, 1_000)).events];
}

/** Repeats work in concurrent groups, because writes that wait in the queue too long are rejected. */
export async function runInGroups(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const size = 50;
  for (let done = 0; done < count; done += size) {
    await Promise.all(Array.from({ length: Math.min(size, count - done) }, (_, index) => work(done + index)));
  }
}

/** Returns the code and the message of a refusal. Any other outcome fails the test. */
export async function getRefusal(call: Promise<unknown>): Promise<[RefusalCode, string]> {
  const outcome = await call.then(
    (result) => new Error(`The call was not refused, but returned ${JSON.stringify(result)}.`),
    (error) => error,
  );
  if (!(outcome instanceof ServiceError)) throw outcome;
  return [outcome.code, outcome.message];
}
