import { expect, spyOn, test } from "bun:test";
import type { Awaitable } from "../../src/base/awaitable.ts";
import { parseJson } from "../../src/base/json.ts";
import { nextTick } from "../../src/base/tick.ts";
import type { EventFilter, LoggedEvent } from "../../src/domain/event.ts";
import type { EventCursor } from "../../src/domain/event-cursor.ts";
import { type EventBatch, readEvents, readEventsBack } from "../../src/operations/events/read-events.ts";
import type { EventStore } from "../../src/store/store.ts";
import type { CheckedResponse, Client } from "../support/client.ts";
import { type Message, openStream } from "../support/event-source.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";
import { pause, until } from "../support/wait.ts";

const it = testWith(() => startService());

const rex = { name: "Rex", categoryId: 9007199254740993n };
const body = '{"name":"Rex","categoryId":9007199254740993}';

it("the list of events starts with the oldest event, and every page has a next link", async ({ client }) => {
  const empty = await list(client, "/v1/events");
  expect(empty.events).toEqual([]);
  await add(client, 3);
  const first = await listOnceFilled(client, "/v1/events?limit=2", 2);
  expect(subjectsOf(first)).toEqual(["pets/1", "pets/2"]);
  const rest = await listOnceFilled(client, first.next, 1);
  expect(subjectsOf(rest)).toEqual(["pets/3"]);
  const none = await list(client, rest.next);
  expect(none.events).toEqual([]);
  await add(client, 1);
  expect(subjectsOf(await listOnceFilled(client, none.next, 1))).toEqual(["pets/4"]);
  expect(subjectsOf(await list(client, empty.next))).toEqual(["pets/1", "pets/2", "pets/3", "pets/4"]);
});

it("an event names its actor and its request, and its bytes never change", async ({ client, store }) => {
  const { key, id } = await addKey(store, { scope: "write", name: "till 1" });
  await client.call("/v1/pets", { key, body, headers: { "x-request-id": "request-1" } });
  const { events, response } = await listOnceFilled(client, "/v1/events?subject=pets/1", 1);
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: "pet.created",
      timestamp: expect.any(String),
      subject: "pets/1",
      actor: { id, name: "till 1" },
      request: "request-1",
      data: { id: 1, ...rex, status: "available" },
      previous: null,
    },
  ]);
  expect((await list(client, "/v1/events?type=pet.created")).response.text).toBe(response.text);
});

it("events can be filtered by types and by subject", async ({ client }) => {
  await add(client, 2);
  await client.call("/v1/pets/1", { method: "PATCH", body: { name: "Rexy" } });
  await client.call("/v1/store/orders", { body: { petId: 2 } });
  await client.call("/v1/pets/1", { method: "DELETE" });
  await listOnceFilled(client, "/v1/events", 6);
  const history = await list(client, "/v1/events?subject=pets/1");
  expect(history.events.map(({ type, previous }) => [type, previous])).toEqual([
    ["pet.created", null],
    ["pet.updated", { name: "Rex" }],
    ["pet.deleted", null],
  ]);
  const some = await list(client, "/v1/events?type=order.placed,pet.deleted");
  expect(some.events.map(({ type }) => type)).toEqual(["order.placed", "pet.deleted"]);
  expect(some.next).toStartWith("/v1/events?type=order.placed%2Cpet.deleted&cursor=");
  expect((await list(client, some.next)).events).toEqual([]);
});

test.each([
  ["type=pet.lost", /^type must be one or more of pet\.created, /],
  ["type=", /^type must be/],
  ["subject=pets", /^subject must be one of pets, /],
  ["subject=pets/01", /^subject must be one of pets, /],
  ["subject=categories/-0", /^subject must be one of pets, /],
  ["limit=101", /^limit must be/],
  ["cursor=11.AAAAAAAAAAAAAA", /^cursor must be one that this operation returned, or latest/],
  ["cursor=", /^cursor must be/],
])("listEvents returns 400 for the query %s", async (query, message) => {
  await using service = await startService();
  const { status, json } = await service.client.call(`/v1/events?${query}`);
  expect(status).toBe(400);
  expect((json as { message: string }).message).toMatch(message);
});

it("the cursor latest skips all earlier events", async ({ client }) => {
  await add(client, 2);
  await listOnceFilled(client, "/v1/events", 2);
  const latest = await list(client, "/v1/events?cursor=latest");
  expect(latest.events).toEqual([]);
  await add(client, 1);
  expect(subjectsOf(await listOnceFilled(client, latest.next, 1))).toEqual(["pets/3"]);
});

it("sort=-position starts with the newest event and ends with the oldest", async ({ client }) => {
  expect((await client.call("/v1/events?sort=-position")).json).toEqual([]);
  await add(client, 5);
  await client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
  const all = await listOnceFilled(client, "/v1/events", 6);
  const backwards = async (path: string) => (await listBackwards(client, path)).map((page) => subjectsOf(page));
  expect(await backwards("/v1/events?sort=-position&limit=4")).toEqual([
    ["categories/7", "pets/5", "pets/4", "pets/3"],
    ["pets/2", "pets/1"],
  ]);
  expect(await backwards("/v1/events?sort=-position&limit=2&type=pet.created")).toEqual([
    ["pets/5", "pets/4"],
    ["pets/3", "pets/2"],
    ["pets/1"],
  ]);
  expect(await backwards("/v1/events?sort=-position&limit=3&type=pet.created,category.named")).toEqual([
    ["categories/7", "pets/5", "pets/4"],
    ["pets/3", "pets/2", "pets/1"],
  ]);
  expect(await backwards("/v1/events?sort=-position&subject=pets/2")).toEqual([["pets/2"]]);
  expect(await backwards("/v1/events?sort=-position&subject=pets/9")).toEqual([[]]);
  const [newest] = await listBackwards(client, "/v1/events?sort=-position&limit=1");
  expect(newest?.events).toEqual(all.events.slice(-1));
  expect(subjectsOf(await list(client, "/v1/events?sort=position&limit=2"))).toEqual(["pets/1", "pets/2"]);
  expect((await client.call("/v1/events?sort=-id")).status).toBe(400);
});

it("a cursor works in both directions without a gap", async ({ client }) => {
  await add(client, 3);
  await listOnceFilled(client, "/v1/events", 3);
  const { next } = await list(client, "/v1/events?cursor=latest");
  await add(client, 2);
  expect(subjectsOf(await listOnceFilled(client, next, 2))).toEqual(["pets/4", "pets/5"]);
  const before = await listBackwards(client, `${next}&sort=-position&limit=2`);
  expect(before.map((page) => subjectsOf(page))).toEqual([["pets/3", "pets/2"], ["pets/1"]]);
  const cursor = new URL(before[0]?.next ?? "", "http://any").searchParams.get("cursor");
  const after = await list(client, `/v1/events?cursor=${cursor}`);
  expect(subjectsOf(after)).toEqual(["pets/2", "pets/3", "pets/4", "pets/5"]);
  const newest = await client.call("/v1/events?sort=-position&cursor=latest&limit=1");
  expect((newest.json as { subject: string }[]).map(({ subject }) => subject)).toEqual(["pets/5"]);
});

test("reading backwards ends at the oldest kept event, and a cursor of another history gets 409", async () => {
  let now = Date.now();
  await using service = await startService({ clock: () => now });
  const { client } = service;
  const empty = await list(client, "/v1/events?cursor=latest");
  await add(client, 3);
  await listOnceFilled(client, "/v1/events", 3);
  const [page] = await listBackwards(client, "/v1/events?sort=-position&limit=1", 1);
  now += 31 * 24 * 60 * 60 * 1000;
  await add(client, 1);
  await listOnceFilled(client, "/v1/events?subject=pets/4", 1);
  await service.service.tidy();
  for (const old of [page?.next ?? "", `${empty.next}&sort=-position`]) {
    const { status, json, headers } = await client.call(old);
    expect([status, json, headers.get("link")]).toEqual([200, [], null]);
  }
  await using other = await startService();
  await add(other.client, 6);
  await listOnceFilled(other.client, "/v1/events", 6);
  // One cursor points at the fourth event, the oldest that the first service keeps; the other points past its newest event.
  for (const limit of [4, 6]) {
    const elsewhere = await list(other.client, `/v1/events?limit=${limit}`);
    expect((await client.call(`${elsewhere.next}&sort=-position`)).status).toBe(409);
  }
});

it("a request with sort=-position can neither stream events nor wait for them", async ({ client }) => {
  const streamed = await client.call("/v1/events?sort=-position", { headers: { accept: "text/event-stream" } });
  expect([streamed.status, (streamed.json as { message: string }).message]).toEqual([
    400,
    "A stream has the order in which things happen: omit sort, or ask for application/json.",
  ]);
  const { status, headers } = await client.call("/v1/events?sort=-position", { headers: { prefer: "wait=30" } });
  expect([status, headers.get("preference-applied")]).toEqual([200, null]);
});

it("only a key with the scope admin gets events about keys", async ({ client, store }) => {
  const reader = await addKey(store, { scope: "write" });
  for (let count = 0; count < 5; count++) {
    await client.call("/v1/keys", { body: { name: "till", scope: "read" } });
  }
  await listOnceFilled(client, "/v1/events", 6);
  await add(client, 1);
  const all = await listOnceFilled(client, "/v1/events", 7);
  expect(all.events.map(({ type }) => type)).toEqual([...Array(6).fill("key.created"), "pet.created"]);
  for (const limit of [1, 2, 100]) {
    const seen = await list(client, `/v1/events?limit=${limit}`, { key: reader.key });
    expect(subjectsOf(seen)).toEqual(["pets/1"]);
    expect((await list(client, seen.next, { key: reader.key })).events).toEqual([]);
    const back = await client.call(`/v1/events?sort=-position&limit=${limit}`, { key: reader.key });
    expect((back.json as { subject: string }[]).map(({ subject }) => subject)).toEqual(["pets/1"]);
    expect(back.headers.get("link")).toBeNull();
  }
  for (const query of ["type=key.created", "subject=keys/1", "type=pet.created,key.revoked"]) {
    const { status, json } = await client.call(`/v1/events?${query}`, { key: reader.key });
    expect([status, (json as { message: string }).message]).toEqual([
      403,
      "Events of keys and webhooks need a key with the scope admin.",
    ]);
    expect((await client.call(`/v1/events?${query}`)).status).toBe(200);
  }
});

it("a read skips many invisible events in each tick, and other work runs between ticks", async ({ client, store }) => {
  await add(client, 1);
  await listOnceFilled(client, "/v1/events", 1);
  for (let count = 0; count < 20; count++) await addKey(store);
  await listOnceFilled(client, "/v1/events?limit=50", 21);
  await add(client, 1);
  await listOnceFilled(client, "/v1/events?limit=50", 22);
  const { log, steps } = recordReads(store.events);
  const forward = await readEvents(log, { filter: {}, limit: 2, isAdmin: false }, undefined);
  expect(forward.events.map(({ subject }) => subject)).toEqual(["pets/1", "pets/2"]);
  await nextTick();
  expect(steps.splice(0)).toEqual(["read", "tick", "read", "tick"]);
  const back = await readEventsBack(log, { filter: {}, limit: 1, isAdmin: false }, undefined);
  expect([back.events.map(({ subject }) => subject), back.hasMore]).toEqual([["pets/2"], true]);
  await nextTick();
  expect(steps).toEqual(["read", "tick", "read", "tick"]);
});

it("other work also runs while a read of a subject skips its events of other types", async ({ client, store }) => {
  await add(client, 1);
  for (let count = 0; count < 20; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
  await store.pets.delete(1, undefined);
  await listOnceFilled(client, "/v1/events?limit=50", 22);
  const { log, steps } = recordReads(store.events);
  const filter: EventFilter = { subject: "pets/1", types: ["pet.created", "pet.deleted"] };
  const typesOf = ({ events }: { events: readonly { type: string }[] }) => events.map(({ type }) => type);
  const forward = await readEvents(log, { filter, limit: 3, isAdmin: true }, undefined);
  expect([typesOf(forward), forward.hasMore]).toEqual([["pet.created", "pet.deleted"], false]);
  await nextTick();
  expect(steps.splice(0)).toEqual(["read", "tick", "read", "tick"]);
  const back = await readEventsBack(log, { filter, limit: 3, isAdmin: true }, undefined);
  expect([typesOf(back), back.hasMore]).toEqual([["pet.deleted", "pet.created"], false]);
  await nextTick();
  expect(steps).toEqual(["read", "tick", "read", "tick"]);
  const first = await listOnce(client, "/v1/events?subject=pets/1&type=pet.created,pet.deleted&limit=1");
  const second = await listOnce(client, first.next);
  expect([first, second].map(typesOf)).toEqual([["pet.created"], ["pet.deleted"]]);
});

it("in each tick, at most one reader continues past events that its key may not see", async ({ client, store }) => {
  for (let count = 0; count < 20; count++) await addKey(store);
  await listOnceFilled(client, "/v1/events?limit=50", 20);
  let tick = 0;
  let isCounting = true;
  const countTicks = () => {
    tick++;
    if (isCounting) setImmediate(countTicks);
  };
  countTicks();
  const ticksOfReads: number[] = [];
  const log: EventStore = {
    ...store.events,
    read(...given) {
      ticksOfReads.push(tick);
      return store.events.read(...given);
    },
  };
  const request = { filter: {}, limit: 2, isAdmin: false };
  const readerCount = 5;
  await Promise.all(Array.from({ length: readerCount }, () => readEvents(log, request, undefined)));
  isCounting = false;
  const furtherReads = ticksOfReads.slice(readerCount);
  expect(furtherReads).toHaveLength(readerCount);
  expect(new Set(furtherReads).size).toBe(readerCount);
});

it("a reader gets every visible event once, page by page, however many are invisible in a row", async (service) => {
  const { client, store } = service;
  const hidden = "h";
  const sequence = "hhvvvhvhhhhvvhvvvvvhhhhhhhvhvh";
  for (const visibility of sequence) await (visibility === hidden ? addKey(store) : add(client, 1));
  const listed = await listOnceFilled(client, "/v1/events?limit=100", sequence.length);
  expect(listed.events.map(({ type }) => (type === "key.created" ? hidden : "v")).join("")).toBe(sequence);
  const seen = subjectsOf(listed).filter((subject) => subject.startsWith("pets/"));
  for (const limit of [1, 2, 3, 4, 5, 100]) {
    const request = { filter: {}, limit, isAdmin: false };
    expect([limit, await readAllPages((cursor) => readEvents(store.events, request, cursor))]).toEqual([limit, seen]);
    const back = await readAllPages((cursor) => readEventsBack(store.events, request, cursor));
    expect([limit, back]).toEqual([limit, seen.toReversed()]);
  }
});

test.each([
  ["gets 410 if it continues from a cursor", true, "Gone"],
  ["starts over if it has no cursor", false, ["pet.deleted"]],
])("a reader whose events are removed during the read %s", async (_, hasCursor, expected) => {
  let now = Date.now();
  await using service = await startService({ clock: () => now });
  const { client, store } = service;
  await add(client, 1);
  for (let count = 0; count < 10; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
  await store.pets.delete(1, undefined);
  await listOnceFilled(client, "/v1/events?limit=50", 12);
  const { next } = await readEvents(store.events, { filter: {}, limit: 1, isAdmin: true }, undefined);
  const request = { filter: { subject: "pets/1", types: ["pet.deleted"] }, limit: 3, isAdmin: true } as const;
  let stepCount = 0;
  const log: EventStore = {
    ...store.events,
    async read(...given) {
      now += 40 * 86_400_000;
      if (++stepCount === 2) await store.deleteExpired(now);
      return await store.events.read(...given);
    },
  };
  const reading = Promise.resolve(readEvents(log, request, hasCursor ? next : undefined));
  const outcome = await reading.then(
    ({ events }) => events.map(({ type }) => type as string),
    ({ code }) => code as string,
  );
  expect(outcome).toEqual(expected);
  expect(stepCount).toBeGreaterThan(1);
});

it("a request sees an acknowledged write even if an earlier identical request is still skipping events", async (service) => {
  const { client, store } = service;
  await add(client, 1);
  for (let count = 0; count < 5; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
  await listOnceFilled(client, "/v1/events", 6);
  const path = "/v1/events?subject=pets/1&type=pet.deleted&sort=-position&limit=1";
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const readBackwards = store.events.readBackwards.bind(store.events);
  let stepCount = 0;
  using _ = spyOn(store.events, "readBackwards").mockImplementation(async (...given) => {
    if (++stepCount === 2) {
      begun.resolve();
      await held.promise;
    }
    return await readBackwards(...given);
  });
  const before = client.call(path);
  await begun.promise;
  expect((await client.call("/v1/pets/1", { method: "DELETE" })).status).toBe(204);
  await listOnceFilled(client, "/v1/events?type=pet.deleted", 1);
  expect((await client.call(path)).json).toMatchObject([{ type: "pet.deleted" }]);
  held.resolve();
  expect((await before).json).toEqual([]);
});

it("a read of the event log ends once the client has disconnected", async ({ client, store }) => {
  await add(client, 1);
  await listOnceFilled(client, "/v1/events", 1);
  const [event] = await store.events.readBackwards({}, undefined, 1);
  let stepCount = 0;
  // Simulates an endless event log.
  using _ = spyOn(store.events, "readBackwards").mockImplementation(async (_, __, step) => {
    stepCount++;
    await pause();
    return Array.from({ length: step }, () => event as LoggedEvent);
  });
  const controller = new AbortController();
  const path = "/v1/events?subject=pets/1&type=pet.deleted&sort=-position&limit=1";
  const response = client.open(path, { authorization: `Bearer ${client.key}` }, controller.signal);
  await until(() => stepCount > 2);
  controller.abort();
  expect(await response.catch(({ name }) => name)).toBe("AbortError");
  await until(async () => {
    const before = stepCount;
    for (let step = 0; step < 10; step++) await pause();
    return stepCount === before;
  });
});

it("events are available as CloudEvents, with exact integers", async ({ client }) => {
  await client.call("/v1/pets", { body, headers: { "x-request-id": "request-1" } });
  await client.call("/v1/pets/1", { method: "PATCH", body: { name: ',"data":{ ,"previous":' } });
  await listOnceFilled(client, "/v1/events", 2);
  const { headers, json } = await client.call("/v1/events", { headers: { accept: "application/cloudevents+json" } });
  expect(headers.get("content-type")).toBe("application/cloudevents-batch+json");
  expect(json).toEqual([
    {
      specversion: "1.0",
      id: expect.any(String),
      source: "/v1",
      type: "pet.created",
      time: expect.any(String),
      subject: "pets/1",
      datacontenttype: "application/json",
      actorname: "environment",
      requestid: "request-1",
      data: { current: { id: 1, ...rex, status: "available" }, previous: null },
    },
    expect.objectContaining({
      data: {
        current: { id: 1, name: ',"data":{ ,"previous":', categoryId: rex.categoryId, status: "available" },
        previous: { name: "Rex" },
      },
    }),
  ]);
});

test("a cursor of removed events gets 410, and a cursor of another history gets 409", async () => {
  let now = Date.now();
  await using service = await startService({ clock: () => now });
  const { client } = service;
  const before = await list(client, "/v1/events");
  await add(client, 2);
  const first = await listOnceFilled(client, "/v1/events?limit=1", 1);
  now += 31 * 24 * 60 * 60 * 1000;
  await add(client, 1);
  await listOnceFilled(client, "/v1/events?subject=pets/3", 1);
  await service.service.tidy();
  for (const gone of [before.next, first.next]) {
    const { status, headers } = await client.call(gone, { headers: { prefer: "handling=strict" } });
    expect([status, headers.get("preference-applied")]).toEqual([410, "handling=strict"]);
  }
  expect(subjectsOf(await list(client, "/v1/events"))).toEqual(["pets/3"]);
  await using other = await startService();
  await add(other.client, 5);
  await listOnceFilled(other.client, "/v1/events", 5);
  const elsewhere = await list(other.client, "/v1/events?limit=3");
  const ahead = await list(other.client, "/v1/events");
  for (const wrong of [elsewhere.next, ahead.next]) {
    const { status, json } = await client.call(wrong);
    expect(status).toBe(409);
    expect((json as { message: string }).message).toMatch(/^This cursor belongs to another history of the store/);
  }
});

it("a waiting request gets a response as soon as there is an event", async (service) => {
  const { client } = service;
  const { next } = await list(client, "/v1/events?cursor=latest");
  const waiting = client.call(next, { headers: { prefer: "wait=99999999999" } });
  await untilReaders(service, 1);
  await add(client, 1);
  const { headers, json } = await waiting;
  expect(headers.get("preference-applied")).toBe("wait=30");
  expect((json as { subject: string }[]).map(({ subject }) => subject)).toEqual(["pets/1"]);
  expect(await countReaders(service)).toBe(0);
});

it("a waiting request ignores events outside its filter, and gets an empty response after the timeout", async (service) => {
  const { client } = service;
  const waiting = client.call("/v1/events?type=pet.deleted", { headers: { prefer: "handling=strict, wait=1" } });
  await untilReaders(service, 1);
  await add(client, 3);
  const { headers, json } = await waiting;
  expect(headers.get("preference-applied")).toBe("handling=strict, wait=1");
  expect(json).toEqual([]);
});

it("a request that waits for events gets a response immediately when the service stops", async (service) => {
  await list(service.client, "/v1/events");
  const waiting = service.client.call("/v1/events", { headers: { prefer: "wait=30" } });
  await untilReaders(service, 1);
  const stopping = service.service.stop(60_000);
  expect((await waiting).json).toEqual([]);
  await stopping;
});

test("a waiting request beyond the limit of its key gets 429 and no longer watches the event log", async () => {
  await using service = await startService({ maxEventReaders: 1 });
  const { client, store } = service;
  const watchers = new Set<() => void>();
  const watch = store.events.watch.bind(store.events);
  store.events.watch = (onMore) => {
    const end = watch(onMore);
    watchers.add(onMore);
    return () => {
      watchers.delete(onMore);
      end();
    };
  };
  const waiting = client.call("/v1/events", { headers: { prefer: "wait=30" } });
  await untilReaders(service, 1);
  for (let count = 0; count < 3; count++) {
    const refused = await client.call("/v1/events", { headers: { prefer: "wait=30" } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refused.headers.get("preference-applied")).toBeNull();
  }
  expect(watchers.size).toBe(1);
  await add(client, 1);
  expect((await waiting).status).toBe(200);
  expect(watchers.size).toBe(0);
});

it("a request does not wait if its client disconnects while the event log is read", async ({ client, store }) => {
  await add(client, 1);
  await listOnceFilled(client, "/v1/events", 1);
  const [event] = await store.events.readBackwards({}, undefined, 1);
  let stepCount = 0;
  // Simulates an endless event log, which is read until the client has disconnected.
  using _ = spyOn(store.events, "read").mockImplementation(async (_, __, step) => {
    stepCount++;
    await pause();
    return { events: Array.from({ length: step }, () => event as LoggedEvent), end: undefined };
  });
  const listeners: { isListening: boolean }[] = [];
  using __ = spyOn(store.events, "watch").mockImplementation(() => {
    const listener = { isListening: true };
    listeners.push(listener);
    return () => {
      listener.isListening = false;
    };
  });
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${client.key}`, prefer: "wait=30" };
  const response = client.open("/v1/events?subject=pets/1&type=pet.deleted&limit=1", headers, controller.signal);
  await until(() => stepCount > 2);
  controller.abort();
  expect(await response.catch(({ name }) => name)).toBe("AbortError");
  await until(() => listeners.length > 0);
  expect(listeners).toEqual([{ isListening: false }]);
});

it("a waiting request gets 401 once its key is revoked", async (service) => {
  const { key, id } = await addKey(service.store, { scope: "read" });
  const waiting = service.client.call("/v1/events?cursor=latest", { key, headers: { prefer: "wait=30" } });
  await untilReaders(service, 1);
  await service.store.keys.revoke(id, Date.now(), false);
  expect((await waiting).status).toBe(401);
});

it("a waiting request gets 401 even if the event log is being read when its key is revoked", async (service) => {
  const { events, keys } = service.store;
  const { key, id } = await addKey(service.store, { scope: "read" });
  const [read, find] = [events.read.bind(events), keys.findByHash.bind(keys)];
  const held = Promise.withResolvers<void>();
  events.read = async (...range) => {
    // Delays only the second read, after the request has begun to wait.
    if ((await countReaders(service)) === 1) await held.promise;
    return await read(...range);
  };
  let isRevocationSeen = false;
  keys.findByHash = async (hash) => {
    const found = await find(hash);
    isRevocationSeen ||= found?.revokedAt != null;
    return found;
  };
  const waiting = service.client.call("/v1/events?type=pet.created", { key, headers: { prefer: "wait=30" } });
  await untilReaders(service, 1);
  await keys.revoke(id, Date.now(), false);
  await until(() => isRevocationSeen);
  held.resolve();
  expect((await waiting).status).toBe(401);
});

it("a stream sends past and future events, and resumes after the last received one", async (service) => {
  const { client } = service;
  await add(client, 2);
  const stream = await openStream(client);
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  // Without this header, nginx would buffer the events.
  expect(stream.headers.get("x-accel-buffering")).toBe("no");
  const messages = stream.messages();
  const seen = [await next(messages), await next(messages)];
  await add(client, 1);
  seen.push(await next(messages));
  expect(seen.map(({ event, data }) => [event, data.subject])).toEqual([
    ["pet.created", "pets/1"],
    ["pet.created", "pets/2"],
    ["pet.created", "pets/3"],
  ]);
  stream.close();
  const again = await openStream(client, "/v1/events?cursor=latest", { lastEventId: seen[0]?.id ?? "" });
  const resumed = again.messages();
  expect([await next(resumed), await next(resumed)]).toEqual(seen.slice(1));
  again.close();
  await untilReaders(service, 0);
});

it("a stream sends only events that match its filter and that its key may see", async ({ client, store }) => {
  const { key } = await addKey(store, { scope: "read" });
  const all = await openStream(client, "/v1/events", { key });
  const some = await openStream(client, "/v1/events?subject=pets/2", { key });
  const [everything, ofTwo] = [all.messages(), some.messages()];
  await client.call("/v1/keys", { body: { name: "till", scope: "read" } });
  await listOnceFilled(client, "/v1/events", 2);
  await add(client, 2);
  await client.call("/v1/pets/2", { method: "DELETE" });
  for (const subject of ["pets/1", "pets/2", "pets/2"]) {
    expect((await next(everything)).data.subject).toBe(subject);
  }
  for (const event of ["pet.created", "pet.deleted"]) expect((await next(ofTwo)).event).toBe(event);
  for (const stream of [all, some]) stream.close();
});

it("an invalid request for a stream gets an error status", async ({ client }) => {
  const accept = { accept: "text/event-stream" };
  for (const [path, status] of [
    ["/v1/events?cursor=nonsense", 400],
    ["/v1/events?type=pet.lost", 400],
  ] as const) {
    expect((await client.call(path, { headers: accept })).status).toBe(status);
  }
  expect((await client.call("/v1/events", { key: null, headers: accept })).status).toBe(401);
  expect((await client.call("/v1/events", { method: "HEAD", headers: accept })).status).toBe(200);
});

it("a stream ends when its key is revoked", async ({ client, store }) => {
  const { key, id } = await addKey(store, { scope: "read" });
  const { messages } = await openStream(client, "/v1/events?cursor=latest", { key });
  await store.keys.revoke(id, Date.now(), false);
  for await (const message of messages()) throw new Error(`The stream sent ${message.event}.`);
  expect((await openStream(client, "/v1/events", { key })).status).toBe(401);
});

it("a stream ends when the service stops, with the time until the client should reconnect", async (service) => {
  const stream = await openStream(service.client, "/v1/events?cursor=latest");
  const stopping = service.service.stop(60_000);
  for await (const message of stream.messages()) throw new Error(`The stream sent ${message.event}.`);
  expect(stream.otherBlocks.at(-1)).toMatch(/^retry: [0-9]+$/);
  await stopping;
});

test("a stream beyond the limit of its key gets 429", async () => {
  await using service = await startService({ maxEventReaders: 2 });
  const { client, store } = service;
  const { key } = await addKey(store, { scope: "read" });
  const open = () => openStream(client, "/v1/events?cursor=latest", { key });
  const [one, other] = [await open(), await open()];
  const refused = await client.call("/v1/events", {
    key,
    headers: { accept: "text/event-stream", prefer: "handling=strict" },
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(refused.headers.get("preference-applied")).toBe("handling=strict");
  expect((await openStream(client)).status).toBe(200);
  one.close();
  await until(async () => (await open()).status === 200);
  // The first stream still counts towards the limit.
  expect((await open()).status).toBe(429);
  const stopping = service.service.stop(60_000);
  for await (const message of other.messages()) throw new Error(`The stream sent ${message.event}.`);
  expect(other.otherBlocks.at(-1)).toMatch(/^retry: [0-9]+$/);
  await stopping;
});

interface Listed {
  readonly events: readonly { readonly [field: string]: unknown; readonly type: string; readonly subject: string }[];
  readonly next: string;
  readonly response: CheckedResponse;
}

async function list(client: Client, path: string, options = {}): Promise<Listed> {
  const listed = await listOnce(client, path, options);
  expect(listed.next).toStartWith("/v1/events?");
  return listed;
}

/** Follows the links to the last page, or up to the maximum number of pages. */
async function listBackwards(client: Client, path: string, maxPages = 10): Promise<Listed[]> {
  const pages: Listed[] = [];
  for (let next = path; next !== "" && pages.length < maxPages; next = pages.at(-1)?.next ?? "") {
    pages.push(await listOnce(client, next));
  }
  return pages;
}

async function listOnce(client: Client, path: string, options = {}): Promise<Listed> {
  const response = await client.call(path, options);
  expect(response.status).toBe(200);
  const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
  return { events: parseJson(response.text) as Listed["events"], next, response };
}

/** Returns the list once it has this many events, which on PostgreSQL is a moment after the write. */
async function listOnceFilled(client: Client, path: string, count: number): Promise<Listed> {
  for (;;) {
    const listed = await list(client, path);
    if (listed.events.length >= count) return listed;
    await pause();
  }
}

/** Returns an event log that records each read, and the first tick after the read. */
function recordReads(events: EventStore): { log: EventStore; steps: string[] } {
  const steps: string[] = [];
  const recorded = <Result>(result: Result) => {
    steps.push("read");
    setImmediate(() => steps.push("tick"));
    return result;
  };
  const log: EventStore = {
    ...events,
    read: (...given) => recorded(events.read(...given)),
    readBackwards: (...given) => recorded(events.readBackwards(...given)),
  };
  return { log, steps };
}

async function readAllPages(read: (cursor: EventCursor | undefined) => Awaitable<EventBatch>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: EventCursor | undefined; ; ) {
    const { events, next, hasMore } = await read(cursor);
    found.push(...events.map(({ subject }) => subject));
    if (!hasMore) return found;
    cursor = next;
  }
}

function subjectsOf({ events }: Listed): string[] {
  return events.map(({ subject }) => subject);
}

async function add(client: Client, count: number): Promise<void> {
  for (let added = 0; added < count; added++) expect((await client.call("/v1/pets", { body })).status).toBe(201);
}

async function next(messages: AsyncGenerator<Message>): Promise<Message> {
  const { value } = await messages.next();
  return value as Message;
}

async function untilReaders(service: TestService, count: number): Promise<void> {
  await until(async () => (await countReaders(service)) === count);
}

async function countReaders({ metrics }: Pick<TestService, "metrics">): Promise<number> {
  return Number(/event_readers ([0-9]+)$/m.exec(await metrics.render())?.[1]);
}
