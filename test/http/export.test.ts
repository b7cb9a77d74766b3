import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { parseJson } from "../../src/base/json.ts";
import { recheckIntervalMs } from "../../src/feed/readers.ts";
import type { Store } from "../../src/store/store.ts";
import type { Client } from "../support/client.ts";
import { addKey } from "../support/keys.ts";
import { watchMetrics } from "../support/metrics.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  addAnimals,
  largeBodyBytes,
  makeLargeDatabase,
  StalledConnection,
  untilCompleted,
} from "../support/stalled.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { UnreliableProxy } from "../support/unreliable-proxy.ts";
import { pause, until } from "../support/wait.ts";

const it = testWith(() => startService());

describe("an export", () => {
  let full: Awaited<ReturnType<typeof makeLargeDatabase>>;
  beforeAll(async () => {
    full = await makeLargeDatabase();
  });
  afterAll(() => full[Symbol.asyncDispose]());

  it("an export has one line for each animal, with exact values, and none for an empty store", async (service) => {
    const { client, store } = service;
    expect((await client.call("/v1/export")).text).toBe("");
    await addAnimals(store, { name: "Odd \u2028 🦜", categoryId: 9007199254740993n, status: "sold" }, 2_500);
    await store.pets.delete(7, undefined);
    const { text, headers } = await client.call("/v1/export");
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    const animals = text.trimEnd().split("\n").map(parseJson) as { id: number }[];
    expect(animals.map(({ id }) => id)).toEqual(
      Array.from({ length: 2_500 }, (_, at) => at + 1).filter((id) => id !== 7),
    );
    expect(animals[0]).toEqual({
      id: 1,
      name: "Odd \u2028 🦜",
      categoryId: 9007199254740993n,
      status: "sold",
    } as never);
    const head = await client.call("/v1/export", { method: "HEAD" });
    expect([headers.get("content-length"), head.headers.get("content-length")]).toEqual([null, null]);
    for (const cursor of [headers.get("event-cursor"), head.headers.get("event-cursor")]) {
      expect((await client.call(`/v1/events?cursor=${cursor}`)).status).toBe(200);
    }
  });

  it("an export checks its key until it ends, and no longer", async (service) => {
    using begun = spyOn(globalThis, "setInterval");
    using ended = spyOn(globalThis, "clearInterval");
    expect((await service.client.call("/v1/export")).status).toBe(200);
    const checks = begun.mock.calls.flatMap(([, everyMs], call) =>
      everyMs === recheckIntervalMs ? [begun.mock.results[call]?.value] : [],
    );
    expect(checks).toHaveLength(1);
    await until(() => ended.mock.calls.some(([timer]) => timer === checks[0]));
  });

  test("a HEAD request does not occupy an export slot after its response", async () => {
    await using service = await full.start();
    // Makes twice as many requests as there may be exports. Each slot is free soon after the response.
    for (let count = 0; count < 4; count++) {
      await until(async () => (await service.client.call("/v1/export", { method: "HEAD" })).status === 200);
    }
  });

  it("an export is a snapshot, whatever is written while it is read", async ({ store }) => {
    await addAnimals(store, { name: "Rex", categoryId: 1, status: "available" }, 2_200);
    const ids: number[] = [];
    await store.export({
      onBegin() {},
      async onPets(pets) {
        if (ids.length === 0) {
          await store.pets.create({ name: "Late", categoryId: 1, status: "available" });
          await store.pets.delete(2_100, undefined);
        }
        ids.push(...pets.map(({ id }) => id));
      },
    });
    expect(ids).toEqual(Array.from({ length: 2_200 }, (_, index) => index + 1));
  });

  it("an export ends early, without its last chunk, if the store fails", async ({ client, store }) => {
    await store.pets.create({ name: "Rex", categoryId: 1, status: "available" });
    const exportAll = store.export.bind(store);
    (store as { export: Store["export"] }).export = (taker) =>
      exportAll({
        onBegin: (mark) => taker.onBegin(mark),
        async onPets(pets) {
          await taker.onPets(pets);
          throw new Error("The database is away.");
        },
      });
    const request = `GET /v1/export HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${client.key}\r\n\r\n`;
    using connection = new StalledConnection(client.url, request);
    const text = await connection.readRest();
    expect(text).toStartWith("HTTP/1.1 200 ");
    expect(text).not.toContain("\r\n0\r\n\r\n");
  });

  it("an export whose reader disconnects frees its slot", async ({ client, store }) => {
    await addAnimals(store, { name: "R".repeat(255), categoryId: 1, status: "sold" }, 3_000);
    for (let round = 0; round < 6; round++) {
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${client.key}` };
      await client.open("/v1/export", headers, abort.signal).catch(() => {});
      abort.abort();
      await until(async () => (await client.call("/v1/export")).status === 200);
    }
  });

  test("an export whose reader reads nothing is aborted, and frees its slot", async () => {
    // The idle timeout is disabled, so only the timeout of readers applies.
    await using service = await full.start({ limits: { readerTimeoutMs: 300 }, idleSeconds: 0 });
    const { client, store } = service;
    // Uses as many keys as there may be concurrent exports, so that every slot is taken.
    const keys = [client.key, (await addKey(store)).key];
    const stalled = keys.map((key) => new StalledConnection(client.url, renderRequest(key)));
    await untilCompleted(service, stalled.length);
    for (const connection of stalled) {
      const text = await connection.readRest();
      expect(text).toStartWith("HTTP/1.1 200 ");
      expect(Buffer.byteLength(text)).toBeLessThan(largeBodyBytes);
    }
    await until(async () => (await client.call("/v1/export", { method: "HEAD" })).status === 200);
  });

  test.skipIf(process.platform !== "linux")("an export with a slow reader is not aborted", async () => {
    let exported: Awaited<ReturnType<typeof exportSlowly>>;
    for (let timeoutMs = 4_000; !exported; timeoutMs *= 2) exported = await exportSlowly(full.start, timeoutMs);
    const { bytes, rest } = exported;
    expect(rest).toEndWith("\r\n0\r\n\r\n");
    expect(bytes + Buffer.byteLength(rest)).toBeGreaterThan(largeBodyBytes);
  });

  const slowReaders = [
    { kind: "pauses repeatedly", pauseMs: 1_000 },
    { kind: "reads slowly", pauseMs: 500 },
  ];
  test.skipIf(process.platform !== "linux").each(slowReaders)(
    "an export whose reader $kind is aborted while other clients wait for a slot",
    async ({ pauseMs }) => {
      const readerTimeoutMs = 2_000;
      // At this rate, a reader must take more bytes within the timeout than the kernel buffers.
      const limits = { readerTimeoutMs, minExportBytesPerMs: 4_000 };
      await using service = await startService({ limits, idleSeconds: 0 });
      const { client, store } = service;
      // The export must exceed the kernel's buffers, which are larger for a connection whose client reads.
      const count = 30_000;
      await addAnimals(store, { name: "🐕".repeat(250), categoryId: 1, status: "available" }, count);
      const keys = await Promise.all([addKey(store), addKey(store)]);
      const slow = keys.map(({ key }) => new StalledConnection(client.url, renderRequest(key)));
      let isOver = false;
      const begun = await Promise.all(slow.map((connection) => connection.readChunk()));
      const readBytes = slow.map(async (connection, index) => {
        let bytes = begun[index] ?? 0;
        while (!isOver) {
          await Bun.sleep(pauseMs);
          bytes += await connection.readChunk();
        }
        return bytes + Buffer.byteLength(await connection.readRest());
      });
      await until(async () => (await client.call("/v1/export", { method: "HEAD" })).status === 200);
      isOver = true;
      expect(Math.min(...(await Promise.all(readBytes)))).toBeLessThan(count * 1_000);
    },
  );

  describe("an export that is still being read", () => {
    let service: TestService;
    beforeAll(async () => {
      // With this timeout, slow readers are not disconnected.
      service = await full.start({ limits: { readerTimeoutMs: 2 ** 30 }, idleSeconds: 0 });
    });
    afterAll(() => service[Symbol.asyncDispose]());

    test("a key may have only one export at a time", async () => {
      const { client, store } = service;
      const other = (await addKey(store)).key;
      using _begun = await UnfinishedExport.of(client);
      const ownExport = await client.call("/v1/export");
      expect([ownExport.status, ownExport.headers.get("retry-after")]).toEqual([429, "5"]);
      using another = new StalledConnection(client.url, renderRequest(other));
      expect(await another.readChunk()).toBeGreaterThan(0);
    });

    test("the third concurrent export gets 429", async () => {
      const { client, store } = service;
      const [second, third] = [(await addKey(store)).key, (await addKey(store)).key];
      await using watched = watchMetrics(service);
      const countThrottled = async () =>
        (await watched.scrape()).value("animal_store_throttled_total", { kind: "exports" });
      using _one = await UnfinishedExport.of(client);
      using _other = await UnfinishedExport.of({ url: client.url, key: second });
      const before = await countThrottled();
      const { status, headers } = await client.call("/v1/export", {
        key: third,
        headers: { prefer: "handling=strict" },
      });
      expect(await countThrottled()).toBe(before + 1);
      expect([status, headers.get("retry-after"), headers.get("preference-applied")]).toEqual([
        429,
        "5",
        "handling=strict",
      ]);
    });

    test("an export ends early, without its last chunk, once its key is revoked", async () => {
      const { client, store } = service;
      const { key, id } = await addKey(store, { scope: "read" });
      using begun = await UnfinishedExport.of({ url: client.url, key });
      await store.keys.revoke(id, Date.now(), false);
      await untilCompleted(service, 1);
      const text = await begun.restAfter("");
      expect(text).toStartWith("HTTP/1.1 200 ");
      expect(text).not.toContain("\r\n0\r\n\r\n");
      expect(text.length).toBeLessThan(largeBodyBytes);
    });

    test("an export is complete for a client that half-closes its connection", async () => {
      using begun = await UnfinishedExport.of(service.client);
      const text = await begun.restAfter("", true);
      expect(text).toEndWith("\r\n0\r\n\r\n");
      expect(text.length).toBeGreaterThan(largeBodyBytes);
    });

    test.each([
      ["bytes that are not a request", "not a request\r\n\r\n", /\r\n0\r\n\r\nHTTP\/1\.1 400 [\s\S]*"BadRequest"/],
      [
        "another request",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        /\r\n0\r\n\r\nHTTP\/1\.1 200 /,
      ],
    ])(
      "an export is complete, and a request that its reader sends meanwhile is answered afterwards: %s",
      async (_, sent, end) => {
        using begun = await UnfinishedExport.of(service.client);
        const text = await begun.restAfter(sent);
        expect(text).toStartWith("HTTP/1.1 200 ");
        expect(text.slice(-1_000)).toMatch(end);
        expect(text.length).toBeGreaterThan(largeBodyBytes);
      },
    );
  });

  it("the program of the guide maintains a replica from an export and events, under load and after lost connections", async (service) => {
    const { client, store } = service;
    await using proxy = await UnreliableProxy.withFaults(client.url);
    await client.call("/v1/pets", { body: '{"name":"Moby","categoryId":9223372036854775807}' });
    await write(client, 30);
    using folder = temporaryFolder();
    const guide = readFileSync(join(import.meta.dir, "../../docs/api.md"), "utf8");
    const [, program = ""] = /^```js\n(import [\s\S]*?)^```$/m.exec(guide) ?? [];
    const source = join(import.meta.dir, "../../packages/client/src/index.ts");
    const reporter = 'process.on("message", () => process.send([...animals.values()]));\n';
    await Bun.write(join(folder.path, "replica.mjs"), reporter + program.replace("@animal-store/client", source));
    const writing = write(client, 150);
    let replicated: { id: number }[] = [];
    const replica = Bun.spawn([process.execPath, "replica.mjs", String(proxy.url), client.key], {
      cwd: folder.path,
      env: process.env,
      ipc: (message: { id: number }[]) => {
        replicated = message.sort((one, other) => one.id - other.id);
      },
    });
    await until(() => proxy.seen.length >= 2);
    proxy.closeConnections();
    await writing;
    const { items } = await store.pets.list({}, { limit: 1_000 });
    expect(items[0]?.categoryId).toBe(9_223_372_036_854_775_807n);
    await until(() => {
      replica.send("report");
      return Bun.deepEquals(replicated, items);
    });
    expect(replicated).toEqual([...items]);
    replica.kill();
    await replica.exited;
  });
});

function renderRequest(key: string): string {
  return `GET /v1/export HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** Returns the data of a reader that pauses for half the timeout, repeatedly; undefined if the machine stalled during a pause. */
async function exportSlowly(
  start: typeof startService,
  readerTimeoutMs: number,
): Promise<{ bytes: number; rest: string } | undefined> {
  const [pauseMs, tooLongMs] = [readerTimeoutMs / 2, readerTimeoutMs * 0.75];
  await using service = await start({ limits: { readerTimeoutMs } });
  const { client } = service;
  const request = `GET /v1/export HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${client.key}\r\n\r\n`;
  using slow = new StalledConnection(client.url, request);
  let bytes = await slow.readChunk();
  // All rounds read less than a third of the kernel's buffer, so the kernel accepts no more bytes from the service.
  for (let round = 0; round < 5; round++) {
    const tooLong = AbortSignal.timeout(tooLongMs);
    await Bun.sleep(pauseMs);
    bytes += await slow.readChunk();
    // If the pause took too long, the timer of `tooLong` has fired by the next tick.
    await pause();
    if (tooLong.aborted) return undefined;
  }
  return { bytes, rest: await slow.readRest() };
}

/** An export that cannot end, because its client has read only the start. */
class UnfinishedExport implements Disposable {
  readonly #socket: Socket;
  readonly #closed: Promise<unknown>;
  #text = "";

  static async of({ url, key }: Pick<Client, "url" | "key">): Promise<UnfinishedExport> {
    for (;;) {
      const begun = new UnfinishedExport(connect(Number(url.port), url.hostname));
      const first = new Promise((resolve) => begun.#socket.once("data", resolve));
      begun.#socket.write(`GET /v1/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      await first;
      if (!begun.#text.startsWith("HTTP/1.1 429 ")) return begun;
      // Exports of the previous test may still be ending.
      begun[Symbol.dispose]();
      await pause();
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    this.#closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("data", (bytes) => {
      if (this.#text === "") socket.pause();
      this.#text += bytes.toString("latin1");
    });
  }

  /** Sends the text, and returns everything received until the connection is closed. */
  async restAfter(sent: string, halfCloses = false): Promise<string> {
    this.#socket.write(sent, () => this.#socket.resume());
    if (halfCloses) this.#socket.end();
    await this.#closed;
    return this.#text;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

async function write(client: Client, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let round = 0; round < count / 4; round++) {
        const { json } = await client.call("/v1/pets", { body: { name: "Rex", categoryId: round } });
        const { id } = json as { id: number };
        if (round % 2) await client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name: `Rex ${round}` } });
        if (round % 3 === 0) await client.call(`/v1/pets/${id}`, { method: "DELETE" });
      }
    }),
  );
}
