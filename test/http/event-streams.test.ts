import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { mapAwaitable } from "../../src/base/awaitable.ts";
import type { Client } from "../support/client.ts";
import { type OpenedStream, openStream } from "../support/event-source.ts";
import { addKey } from "../support/keys.ts";
import { RawConnection } from "../support/raw.ts";
import { startService, type TestService } from "../support/service.ts";
import { largeBodyBytes, makeLargeDatabase, StalledConnection, untilCompleted } from "../support/stalled.ts";
import { testWith } from "../support/test-with.ts";
import { pause, pauseLoad, until } from "../support/wait.ts";

const it = testWith(() => startService());

const disconnectionCount = Number(process.env["STREAM_RECONNECTS"] ?? 60);
const followerCount = 6;
const writerCount = 16;
/** Longer than any test may take, so a test that waits this long fails. */
const unreachableMs = 3_600_000;
const withoutTimeouts = { limits: { readerTimeoutMs: unreachableMs }, idleSeconds: 0 };
const rex = { name: "Rex", categoryId: 1 };

test("streams that are disconnected repeatedly neither miss nor repeat an event, while many clients change the same animals", async () => {
  await using service = await startService({ maxEventReaders: 1_000 });
  const { client } = service;
  const animalCount = 4;
  for (let id = 1; id <= animalCount; id++) await client.call("/v1/pets", { body: rex });
  let isWriting = true;
  const write = async (writer: number) => {
    for (let round = 0; isWriting; round++) {
      const name = `writer ${writer}, round ${round}`;
      const path = `/v1/pets/${1 + ((writer + round) % animalCount)}`;
      expect((await client.call(path, { method: "PATCH", body: { name } })).status).toBe(200);
      await pauseLoad();
    }
  };
  const load = Promise.all(Array.from({ length: writerCount }, (_, writer) => write(writer)));
  let remainingCount = disconnectionCount;
  const follow = async (): Promise<SeenEvent[]> => {
    const seen: SeenEvent[] = [];
    while (remainingCount-- > 0) await receiveEvents(client, seen, Math.floor(Math.random() * 40));
    return seen;
  };
  const all = await Promise.race([load.then(() => []), Promise.all(Array.from({ length: followerCount }, follow))]);
  isWriting = false;
  await load;
  const written = await untilWritten(client);
  expect(all).toHaveLength(followerCount);
  for (const seen of all) {
    await receiveEvents(client, seen, written.length - seen.length);
    expect(seen.map(({ id }) => id)).toEqual(written);
  }
});

describe("a reader of more events than all buffers hold", () => {
  let database: Awaited<ReturnType<typeof makeLargeDatabase>>;
  beforeAll(async () => {
    database = await makeLargeDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  test("the service reads no events ahead for a stalled reader, disconnects the reader, and lets it resume without a gap", async () => {
    await using service = await database.start({ ...withoutTimeouts, limits: { readerTimeoutMs: 300 } });
    const { client } = service;
    const counts = watchReads(service);
    const stalled = await stall(service);
    await until(async () => (await countReaders(service)) === 0);
    expect(counts.bytes).toBeLessThan(largeBodyBytes);
    const received = [...(await stalled.readRest()).matchAll(/^id: (\S+)\nevent: pet.created\ndata: (.*)\n\n/gm)];
    const seen = received.map(([, cursor = "", data = ""]) => ({ id: JSON.parse(data).id, cursor }));
    await receiveEvents(client, seen, 100);
    const { json } = await client.call(`/v1/events?limit=100&cursor=${seen.at(-101)?.cursor}`);
    expect(seen.slice(-100).map(({ id }) => id)).toEqual((json as { id: string }[]).map(({ id }) => id));
  });

  test("a reader that reads nothing does not delay the stop of the service", async () => {
    await using service = await database.start(withoutTimeouts);
    const { stalled } = await stallFully(service);
    await service.service.stop(unreachableMs);
    expect(Buffer.byteLength(await stalled.readRest())).toBeLessThan(largeBodyBytes);
  });

  test("a reader that reads nothing is disconnected once its key is revoked, and gets only what was already sent", async () => {
    await using service = await database.start(withoutTimeouts);
    const { stalled, counts, keyId } = await stallFully(service);
    await service.store.keys.revoke(keyId, Date.now(), false);
    await until(() => counts.revokedKeys > 0);
    await until(async () => (await countReaders(service)) === 0);
    expect(Buffer.byteLength(await stalled.readRest())).toBeLessThan(largeBodyBytes);
  });

  test("a reader that pauses while the service stops gets the rest of the stream, and the time to reconnect", async () => {
    let rest: string | undefined;
    while (rest === undefined) rest = await readRestAfterPause(database.start);
    expect(rest.slice(-100)).toMatch(/\nretry: [0-9]+\n\n\r\n0\r\n\r\n$/);
  });

  test("while the look-up of a key hangs, streams and exports do not look the key up again", async () => {
    await using service = await database.start(withoutTimeouts);
    const { client, store } = service;
    const hangingKeys = await Promise.all([addKey(store), addKey(store)]);
    const otherKey = await addKey(store);
    const streams = [
      ...(await openStreams(service, 1, hangingKeys[0].key)),
      ...(await openStreams(service, 1, otherKey.key)),
    ];
    const request = `GET /v1/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hangingKeys[1].key}\r\n\r\n`;
    using exported = new StalledConnection(client.url, request);
    await exported.readChunk();
    const lookUpCounts = new Map<number, number>();
    const responseSent = Promise.withResolvers<void>();
    const find = store.keys.findByHash.bind(store.keys);
    store.keys.findByHash = async (hash) => {
      const found = await find(hash);
      const id = found?.id ?? 0;
      lookUpCounts.set(id, (lookUpCounts.get(id) ?? 0) + 1);
      if (id !== otherKey.id) await responseSent.promise;
      return found;
    };
    const untilLookedUp = (keys: { id: number }[], times: number) =>
      until(() => keys.every(({ id }) => (lookUpCounts.get(id) ?? 0) >= times));
    await untilLookedUp([...hangingKeys, otherKey], 1);
    lookUpCounts.clear();
    await untilLookedUp([otherKey], 3);
    const lookedUpIds = [...lookUpCounts.keys()];
    responseSent.resolve();
    expect(lookedUpIds).toEqual([otherKey.id]);
    await untilLookedUp(hangingKeys, 1);
    for (const stream of streams) stream.close();
  });
});

test.each([
  ["a stream", "Accept: text/event-stream"],
  ["a request that waits", "Prefer: wait=30"],
])("%s ends as soon as its client half-closes the connection", async (_, header) => {
  await using service = await startService(withoutTimeouts);
  using connection = new RawConnection(service.client.url);
  const head = `GET /v1/events?cursor=latest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.client.key}\r\n`;
  connection.send(`${head}${header}\r\n\r\n`);
  await until(async () => (await countReaders(service)) === 1);
  connection.end();
  await untilCompleted(service, 1);
  expect(await connection.untilClosed()).toStartWith("HTTP/1.1 200 ");
});

it("idle streams only check their key in the store, and share the reads of new events", async (service) => {
  const { client } = service;
  const counts = watchReads(service);
  const { key } = await addKey(service.store, { scope: "read" });
  const streams = await openStreams(service, 60, key);
  await until(() => counts.reads > 0);
  counts.reads = 0;
  counts.keyChecks = 0;
  await until(() => counts.keyChecks >= 3);
  expect(counts.reads).toBeLessThan(5);
  counts.reads = 0;
  expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
  for (const stream of streams) expect((await stream.messages().next()).value).toMatchObject({ event: "pet.created" });
  expect(counts.reads).toBeLessThan(10);
});

test("200 streams and 50 waiting requests do not delay the stop of the service, and the streams are told when to reconnect", async () => {
  const service = await startService({ maxEventReaders: 300 });
  await using _ = service;
  const { client } = service;
  const streams = await openStreams(service, 200);
  const waiting = Array.from({ length: 50 }, () =>
    client.call("/v1/events?cursor=latest", { headers: { prefer: "wait=30" } }),
  );
  await until(async () => (await countReaders(service)) === 250);
  const stopping = service.service.stop(unreachableMs);
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  const otherBlocks = await Promise.all(streams.map(readOtherBlocks));
  await stopping;
  for (const lines of otherBlocks) expect(lines.at(-1)).toMatch(/^retry: [0-9]+$/);
  expect(new Set(otherBlocks.map((lines) => lines.at(-1))).size).toBeGreaterThan(1);
});

it("a stream that is opened while the service drains is told when to reconnect", async (service) => {
  const stopping = service.service.stop(unreachableMs, 1_000);
  const stream = await openStream(service.client);
  expect([stream.status, (await readOtherBlocks(stream)).at(-1)]).toEqual([
    200,
    expect.stringMatching(/^retry: [0-9]+$/),
  ]);
  await stopping;
});

test("a stream is not closed as an idle connection when too many connections are open", async () => {
  await using service = await startService({ ...withoutTimeouts, maxConnections: 8 });
  const { client } = service;
  const [stream] = await openStreams(service, 1);
  const idle = Array.from({ length: 20 }, () => openIdleConnection(client.url));
  await Promise.race(idle.map(({ closed }) => closed));
  expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
  expect((await stream?.messages().next())?.value).toMatchObject({ event: "pet.created" });
  for (const { end } of idle) end();
});

it("the time for which a request waits for events does not count towards the measured duration", async (service) => {
  await service.client.call("/v1/events?cursor=latest", { headers: { prefer: "wait=2" } });
  const text = await service.metrics.render();
  const [, sum] = /request_duration_seconds_sum\{[^}]*operation="listEvents"[^}]*\} ([0-9.e-]+)/.exec(text) ?? [];
  expect(Number(sum)).toBeGreaterThan(0);
  expect(Number(sum)).toBeLessThan(2);
});

/** Stops the service while a reader pauses. Returns the text that the reader then receives; undefined if the machine stalled. */
async function readRestAfterPause(start: typeof startService): Promise<string | undefined> {
  const [pauseMs, tooLongMs] = [2_000, 4_000];
  await using service = await start(withoutTimeouts);
  const { stalled } = await stallFully(service);
  const tooLong = AbortSignal.timeout(tooLongMs);
  const stopping = service.service.stop(unreachableMs);
  await Bun.sleep(pauseMs);
  const rest = stalled.readRest();
  // If the pause took too long, the timer of `tooLong` has fired by the next tick.
  await pause();
  if (tooLong.aborted) return undefined;
  await stopping;
  return await rest;
}

interface SeenEvent {
  readonly id: string;
  readonly cursor: string;
}

/** Resumes after the last seen event, and disconnects after `count` further events, possibly in the middle of the next one. */
async function receiveEvents(client: Client, seen: SeenEvent[], count: number): Promise<void> {
  const lastEventId = seen.at(-1)?.cursor;
  const stream = await openStream(client, "/v1/events", lastEventId === undefined ? {} : { lastEventId });
  expect(stream.status).toBe(200);
  if (count > 0) {
    const targetCount = seen.length + count;
    for await (const { id, data } of stream.messages()) {
      seen.push({ id: data.id, cursor: id });
      if (seen.length === targetCount) break;
    }
  }
  stream.close();
}

/** Returns the ids of all events once the event log is complete: on PostgreSQL, events appear a moment after the write. */
async function untilWritten(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let path = "/v1/events?limit=100"; ; ) {
    const { json, headers } = await client.call(path, { headers: { prefer: "wait=2" } });
    const page = json as { id: string }[];
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
    [, path = ""] = /^<([^>]+)>/.exec(headers.get("link") ?? "") ?? [];
  }
}

function watchReads({ store: { events, keys } }: TestService) {
  const counts = { reads: 0, bytes: 0, keyChecks: 0, revokedKeys: 0 };
  const [read, find] = [events.read.bind(events), keys.findByHash.bind(keys)];
  events.read = (...range) =>
    mapAwaitable(read(...range), (page) => {
      counts.reads++;
      for (const { body } of page.events) counts.bytes += Buffer.byteLength(body);
      return page;
    });
  keys.findByHash = (hash) => {
    counts.keyChecks++;
    return mapAwaitable(find(hash), (found) => {
      if (found && found.revokedAt !== null) counts.revokedKeys++;
      return found;
    });
  };
  return counts;
}

/** Resolves once all buffers are full: the service then still checks the stream's key, but no longer reads the event log. */
async function untilNothingIsRead(counts: ReturnType<typeof watchReads>): Promise<void> {
  for (let before = 0; before === 0 || counts.bytes > before; ) {
    before = counts.bytes;
    const { keyChecks } = counts;
    await until(() => counts.keyChecks >= keyChecks + 2);
  }
}

async function stall({ client, metrics }: TestService, key = client.key): Promise<StalledConnection> {
  const stalled = new StalledConnection(
    client.url,
    `GET /v1/events?limit=100 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  await until(async () => (await countReaders({ metrics })) === 1);
  return stalled;
}

/** Opens a stream that exceeds all buffers, reads nothing of it, and resolves once the buffers are full. */
async function stallFully(service: TestService) {
  const { key, id: keyId } = await addKey(service.store, { scope: "read" });
  const counts = watchReads(service);
  const stalled = await stall(service, key);
  await untilNothingIsRead(counts);
  return { stalled, counts, keyId };
}

async function openStreams({ client }: TestService, count: number, key = client.key): Promise<OpenedStream[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const stream = await openStream(client, "/v1/events?cursor=latest", { key });
      expect(stream.status).toBe(200);
      return stream;
    }),
  );
}

async function readOtherBlocks({ messages, otherBlocks }: OpenedStream): Promise<string[]> {
  for await (const { event } of messages()) throw new Error(`It had ${event}.`);
  return otherBlocks;
}

function openIdleConnection({ port, hostname }: URL): { closed: Promise<unknown>; end(): void } {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.resume().write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  return { closed, end: () => socket.destroy() };
}

async function countReaders({ metrics }: Pick<TestService, "metrics">): Promise<number> {
  return Number(/event_readers ([0-9]+)$/m.exec(await metrics.render())?.[1]);
}

it("heartbeats of an idle event stream carry the event log position from which the client can resume", async (service) => {
  const { client } = service;
  const stream = await openStream(client, "/v1/events?type=order.cancelled");
  const messages = stream.messages();
  const nothing = messages.next();
  await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  const heartbeatPosition = () => /^: still here\nid: (.+)$/.exec(stream.otherBlocks.at(-1) ?? "")?.[1];
  await until(() => heartbeatPosition() !== undefined);
  await client.call("/v1/pets", { body: { name: "Mia", categoryId: 7 } });
  const again = await openStream(client, "/v1/events", { lastEventId: heartbeatPosition() ?? "" });
  expect((await again.messages().next()).value?.data.subject).toBe("pets/2");
  for (const one of [stream, again]) one.close();
  await nothing;
});
