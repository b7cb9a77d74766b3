import { expect, spyOn, test } from "bun:test";
import {
  AnimalStore,
  BadRequestError,
  ConnectionError,
  type Event,
  type Pet,
  UnauthorizedError,
} from "../../packages/client/src/index.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";
import { UnreliableProxy } from "../support/unreliable-proxy.ts";
import { until } from "../support/wait.ts";

const it = testWith(() => startService());

const clientOf = ({ client: { url, key } }: TestService, baseUrl: string | URL = url, apiKey = key) =>
  new AnimalStore({ baseUrl, apiKey });

async function readersOf({ metrics }: TestService): Promise<number> {
  return Number(/^\w*event_readers (\d+)$/m.exec(await metrics.render())?.[1]);
}

/** Waits until events are in the event log: on PostgreSQL, a few milliseconds after the response to the write. */
async function untilLogged(store: AnimalStore, count: number): Promise<void> {
  await until(async () => (await store.events.list().page()).items.length === count);
}

async function take(events: AsyncIterator<Event>, count: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const { value, done } = await events.next();
    if (done) throw new Error("The stream has ended.");
    names.push((value.data as Pet).name);
  }
  return names;
}

it("a stream of events continues after each interruption with the next event, without duplicates and gaps", async (service) => {
  await using proxy = await UnreliableProxy.withFaults(service.client.url);
  const stream = clientOf(service, proxy.url).events.stream({ type: "pet.created" });
  const events = stream[Symbol.asyncIterator]();
  const store = clientOf(service);
  const received: string[] = [];
  for (const round of [1, 2, 3, 4]) {
    await store.pets.create({ name: `${round} a`, categoryId: 7 });
    await store.pets.create({ name: `${round} b`, categoryId: 7 });
    received.push(...(await take(events, 2)));
    proxy.closeConnections();
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

it("a stream from the latest event misses no event, even after an interruption before the first event", async (service) => {
  const store = clientOf(service);
  await store.pets.create({ name: "before", categoryId: 7 });
  await untilLogged(store, 1);
  await using proxy = await UnreliableProxy.withFaults(service.client.url);
  const events = clientOf(service, proxy.url).events.stream({ cursor: "latest" })[Symbol.asyncIterator]();
  const first = take(events, 1);
  await until(() => proxy.seen.length === 2);
  proxy.closeConnections();
  await store.pets.create({ name: "meanwhile", categoryId: 7 });
  expect(await first).toEqual(["meanwhile"]);
  await events.return?.();
});

it("a stream of events reconnects to a service that was unreachable and then responded with errors", async (service) => {
  const faults = ["pass", "refuse", { status: 502 }, { status: 429, headers: { "retry-after": "0" } }] as const;
  await using proxy = await UnreliableProxy.withFaults(service.client.url, ...faults);
  const events = clientOf(service, proxy.url).events.stream()[Symbol.asyncIterator]();
  const store = clientOf(service);
  await store.pets.create({ name: "a", categoryId: 7 });
  expect(await take(events, 1)).toEqual(["a"]);
  proxy.closeConnections();
  await store.pets.create({ name: "b", categoryId: 7 });
  expect(await take(events, 1)).toEqual(["b"]);
  expect(proxy.seen).toHaveLength(5);
  await events.return?.();
});

it("an aborted stream ends with the reason of its signal, between events and while it waits to reconnect", async (service) => {
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
      proxy.closeConnections();
      await until(() => proxy.seen.length >= 2 && !proxy.isBusy);
    }
    controller.abort(reason);
    expect(await ending).toBe(reason);
  }
});

it("a stream of events closes its connection when its reader leaves the loop", async (service) => {
  const store = clientOf(service);
  await store.pets.create({ name: "a", categoryId: 7 });
  for await (const { type } of store.events.stream()) {
    expect(type).toBe("pet.created");
    await until(async () => (await readersOf(service)) === 1);
    break;
  }
  await until(async () => (await readersOf(service)) === 0);
});

it("a stream of events fails at an error that a retry would get again, such as the error for a revoked key", async (service) => {
  const wrong = clientOf(service).events.stream({ cursor: "nonsense" });
  expect(await Array.fromAsync(wrong).catch((error) => error)).toBeInstanceOf(BadRequestError);
  const { key, id } = await addKey(service.store);
  const stream = clientOf(service, undefined, key).events.stream();
  const ending = Array.fromAsync(stream).catch((error) => error);
  await until(async () => (await readersOf(service)) === 1);
  await clientOf(service).keys.revoke(id);
  expect(await ending).toBeInstanceOf(UnauthorizedError);
});

test("a stream of events reconnects without limit, with bounded delays", async () => {
  using time = new SkippedTime();
  const { fetch, requestedAt } = scriptedFetch(time, [
    { text: `retry: 5000\n\n${messageOf("a")}` },
    // Six timeouts exceed the maximum number of retries and the deadline of any other call.
    ...Array.from({ length: 6 }, () => ({ isHanging: true })),
    { text: messageOf("b"), isHanging: true },
    ...["c", "d", "e", "f", "g"].map((name) => ({ text: messageOf(name) })),
  ]);
  const store = new AnimalStore({ baseUrl: "https://store.example", apiKey: "key", fetch });
  const events = store.events.stream({ cursor: "1" })[Symbol.asyncIterator]();
  expect(await take(events, 7)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  await events.return?.();
  const gaps = requestedAt.slice(1).map((at, index) => at - (requestedAt[index] ?? 0));
  // The delay is the delay that the service requests, plus jitter.
  expect(gaps[0]).toBeWithin(5_000, 5_251);
  // The client closes a connection after 30 seconds of silence.
  expect(gaps[7]).toBeWithin(30_000, 30_251);
  // Each of these connections has worked, so the delay does not grow.
  for (const gap of gaps.slice(8)) expect(gap).toBeWithin(125, 251);
});

it("an export has the cursor from which a replica continues without missing an event", async (service) => {
  const store = clientOf(service);
  for (const name of ["a", "b", "c"]) await store.pets.create({ name, categoryId: 7 });
  await untilLogged(store, 3);
  const { data: all, headers } = await store.pets.export().withResponse();
  expect(all.eventCursor).toBe(headers.get("Event-Cursor"));
  await store.pets.create({ name: "d", categoryId: 7 });
  expect((await Array.fromAsync(all)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  await expect(Array.fromAsync(all)).rejects.toThrow("An export can be read only once. Request another one.");
  const events = store.events.stream({ cursor: all.eventCursor })[Symbol.asyncIterator]();
  expect(await take(events, 1)).toEqual(["d"]);
  await events.return?.();
});

it("an export that is cut off fails, instead of looking like a smaller store", async (service) => {
  await service.database.fill(1_000);
  await using proxy = await UnreliableProxy.withFaults(service.client.url, "cut");
  const reading = Array.fromAsync(await clientOf(service, proxy.url).pets.export());
  expect(await reading.catch((error) => error)).toBeInstanceOf(ConnectionError);
  expect(await Array.fromAsync(await clientOf(service, proxy.url).pets.export())).toHaveLength(1_000);
});

/** Replaces the clock and the timers of the client: delays end at once, but time limits end only when a test calls `reachLimit`. */
class SkippedTime implements Disposable {
  now = 0;
  #limit: (() => void) | undefined;
  readonly #spies = new DisposableStack();

  constructor() {
    const setTimer = (run: () => void, ms: number) => {
      const end = () => {
        this.now += ms;
        run();
      };
      if (ms === limitMs) this.#limit = end;
      else setImmediate(end);
    };
    this.#spies.use(spyOn(performance, "now").mockImplementation(() => this.now));
    this.#spies.use(spyOn(globalThis, "setTimeout").mockImplementation(setTimer as unknown as typeof setTimeout));
  }

  reachLimit(): void {
    this.#limit?.();
  }

  [Symbol.dispose](): void {
    this.#spies.dispose();
  }
}

const limitMs = 30_000;

/** Returns a `fetch` whose responses are scripted, and the times at which it was called. */
function scriptedFetch(time: SkippedTime, script: { readonly text?: string; readonly isHanging?: boolean }[]) {
  const requestedAt: number[] = [];
  const fetch = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    const { text, isHanging = false } = script[requestedAt.push(time.now) - 1] ?? { isHanging: true };
    const hang = () =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        setImmediate(() => time.reachLimit());
      });
    if (text === undefined) return await hang();
    const body = (async function* () {
      yield text;
      if (isHanging) await hang();
    })();
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  return { fetch: fetch as unknown as typeof globalThis.fetch, requestedAt };
}

function messageOf(name: string): string {
  return `id: ${name}\ndata: ${JSON.stringify({ id: name, data: { name } })}\n\n`;
}
