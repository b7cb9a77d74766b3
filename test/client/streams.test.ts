import { describe, expect, test } from "bun:test";
import {
  AnimalStore,
  BadRequestError,
  ConnectionError,
  type Event,
  type Pet,
  UnauthorizedError,
} from "../../src/client/index.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { UnreliableProxy } from "../support/unreliable-proxy.ts";
import { until } from "../support/wait.ts";

const clientOf = ({ client: { url, key } }: TestService, baseUrl: string | URL = url, apiKey = key) =>
  new AnimalStore({ baseUrl, apiKey });

/** How many streams the service has open. */
async function readersOf({ metrics }: TestService): Promise<number> {
  return Number(/^\w*event_readers (\d+)$/m.exec(await metrics.text())?.[1]);
}

/** PostgreSQL logs events some milliseconds after the answer to their write. */
async function untilLogged(store: AnimalStore, count: number): Promise<void> {
  await until(async () => (await store.events.list().page()).items.length === count);
}

/** The next events of a stream. */
async function take(events: AsyncIterator<Event>, count: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const { value, done } = await events.next();
    if (done) throw new Error("The stream has ended.");
    names.push((value.data as Pet).name);
  }
  return names;
}

describe("a stream of events", () => {
  test("goes on after each break with the next event, none twice and none left out", async () => {
    await using service = await startService();
    await using proxy = await UnreliableProxy.withFaults(service.client.url);
    const stream = clientOf(service, proxy.url).events.stream({ type: "pet.created" });
    const events = stream[Symbol.asyncIterator]();
    const store = clientOf(service);
    const received: string[] = [];
    for (const round of [1, 2, 3, 4]) {
      await store.pets.create({ name: `${round} a`, categoryId: 7 });
      await store.pets.create({ name: `${round} b`, categoryId: 7 });
      received.push(...(await take(events, 2)));
      proxy.breakAll();
    }
    expect(received).toEqual(["1 a", "1 b", "2 a", "2 b", "3 a", "3 b", "4 a", "4 b"]);
    expect(proxy.seen.length).toBeGreaterThan(3);
    expect(proxy.seen[0]?.headers["last-event-id"]).toBeUndefined();
    expect(proxy.seen.slice(1).every(({ headers }) => headers["last-event-id"])).toBe(true);
    await store.pets.create({ name: "later", categoryId: 7 });
    const resumed = store.events.stream({ cursor: stream.cursor })[Symbol.asyncIterator]();
    expect(await take(resumed, 1)).toEqual(["later"]);
    await Promise.all([events.return?.(), resumed.return?.()]);
  });

  test("from the latest on misses nothing, even if it breaks before the first event", async () => {
    await using service = await startService();
    const store = clientOf(service);
    await store.pets.create({ name: "before", categoryId: 7 });
    await untilLogged(store, 1);
    await using proxy = await UnreliableProxy.withFaults(service.client.url);
    const events = clientOf(service, proxy.url).events.stream({ cursor: "latest" })[Symbol.asyncIterator]();
    const first = take(events, 1);
    await until(() => proxy.seen.length === 2);
    proxy.breakAll();
    await store.pets.create({ name: "meanwhile", categoryId: 7 });
    expect(await first).toEqual(["meanwhile"]);
    await events.return?.();
  });

  test("comes back to a service that was away, and answered with errors", async () => {
    await using service = await startService();
    const faults = ["pass", "refuse", { status: 502 }, { status: 429, headers: { "retry-after": "0" } }] as const;
    await using proxy = await UnreliableProxy.withFaults(service.client.url, ...faults);
    const events = clientOf(service, proxy.url).events.stream()[Symbol.asyncIterator]();
    const store = clientOf(service);
    await store.pets.create({ name: "a", categoryId: 7 });
    expect(await take(events, 1)).toEqual(["a"]);
    proxy.breakAll();
    await store.pets.create({ name: "b", categoryId: 7 });
    expect(await take(events, 1)).toEqual(["b"]);
    expect(proxy.seen).toHaveLength(5);
    await events.return?.();
  });

  test("ends with the reason of its signal, while it is quiet and while it waits to reconnect", async () => {
    await using service = await startService();
    await clientOf(service).pets.create({ name: "a", categoryId: 7 });
    const reason = new Error("enough");
    for (const isBroken of [false, true]) {
      const rest = isBroken ? [{ status: 503, headers: { "retry-after": "100" } }] : [];
      await using proxy = await UnreliableProxy.withFaults(service.client.url, "pass", ...rest);
      const controller = new AbortController();
      const stream = clientOf(service, proxy.url).events.stream({}, { signal: controller.signal });
      const events = stream[Symbol.asyncIterator]();
      expect(await take(events, 1)).toEqual(["a"]);
      const ending = events.next().catch((error) => error);
      if (isBroken) {
        proxy.breakAll();
        await until(() => proxy.seen.length >= 2 && !proxy.isBusy);
      }
      controller.abort(reason);
      expect(await ending).toBe(reason);
    }
  });

  test("leaves the service when its reader leaves the loop", async () => {
    await using service = await startService();
    const store = clientOf(service);
    await store.pets.create({ name: "a", categoryId: 7 });
    for await (const { type } of store.events.stream()) {
      expect(type).toBe("pet.created");
      await until(async () => (await readersOf(service)) === 1);
      break;
    }
    await until(async () => (await readersOf(service)) === 0);
  });

  test("fails where it would fail again, also when its key no longer works", async () => {
    await using service = await startService();
    const wrong = clientOf(service).events.stream({ cursor: "nonsense" });
    expect(await Array.fromAsync(wrong).catch((error) => error)).toBeInstanceOf(BadRequestError);
    const { key, id } = await addKey(service.store);
    const stream = clientOf(service, undefined, key).events.stream();
    const ending = Array.fromAsync(stream).catch((error) => error);
    await until(async () => (await readersOf(service)) === 1);
    await clientOf(service).keys.revoke(id);
    expect(await ending).toBeInstanceOf(UnauthorizedError);
  });
});

describe("an export", () => {
  test("says where to follow the events from, so that a replica misses nothing", async () => {
    await using service = await startService();
    const store = clientOf(service);
    for (const name of ["a", "b", "c"]) await store.pets.create({ name, categoryId: 7 });
    await untilLogged(store, 3);
    const { data: all, headers } = await store.pets.export().withResponse();
    expect(all.eventCursor).toBe(headers.get("Event-Cursor"));
    await store.pets.create({ name: "d", categoryId: 7 });
    expect((await Array.fromAsync(all)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    await expect(Array.fromAsync(all)).rejects.toThrow("An export can be walked once. Ask for another one.");
    const events = store.events.stream({ cursor: all.eventCursor })[Symbol.asyncIterator]();
    expect(await take(events, 1)).toEqual(["d"]);
    await events.return?.();
  });

  test("that is cut off fails, and never looks like a smaller store", async () => {
    await using service = await startService();
    await service.database.fill(1_000);
    await using proxy = await UnreliableProxy.withFaults(service.client.url, "cut");
    const walk = Array.fromAsync(await clientOf(service, proxy.url).pets.export());
    expect(await walk.catch((error) => error)).toBeInstanceOf(ConnectionError);
    expect(await Array.fromAsync(await clientOf(service, proxy.url).pets.export())).toHaveLength(1_000);
  });
});
