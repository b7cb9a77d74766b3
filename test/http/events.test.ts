import { describe, expect, spyOn, test } from "bun:test";
import type { Awaitable } from "../../src/base/awaitable.ts";
import { parseJson } from "../../src/base/json.ts";
import { nextTick } from "../../src/base/tick.ts";
import type { EventFilter, LoggedEvent } from "../../src/domain/event.ts";
import type { EventCursor } from "../../src/domain/event-cursor.ts";
import { type EventBatch, readEvents, readEventsBack } from "../../src/operations/events/read-events.ts";
import type { EventStore } from "../../src/store/store.ts";
import type { Answer, Client } from "../support/client.ts";
import { type Message, openStream } from "../support/event-source.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { pause, until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 9007199254740993n };
const body = '{"name":"Rex","categoryId":9007199254740993}';

describe("events as a list", () => {
  test("begin with the oldest, and always say where to go on", async () => {
    await using service = await startService();
    const { client } = service;
    const empty = await list(client, "/v1/events");
    expect(empty.events).toEqual([]);
    await add(client, 3);
    const first = await eventually(client, "/v1/events?limit=2", 2);
    expect(subjects(first)).toEqual(["pets/1", "pets/2"]);
    const rest = await eventually(client, first.next, 1);
    expect(subjects(rest)).toEqual(["pets/3"]);
    const none = await list(client, rest.next);
    expect(none.events).toEqual([]);
    await add(client, 1);
    expect(subjects(await eventually(client, none.next, 1))).toEqual(["pets/4"]);
    expect(subjects(await list(client, empty.next))).toEqual(["pets/1", "pets/2", "pets/3", "pets/4"]);
  });

  test("say who did what in which request, and are the same bytes each time", async () => {
    await using service = await startService();
    const { client, store } = service;
    const { key, id } = await addKey(store, { scope: "write", name: "till 1" });
    await client.call("/v1/pets", { key, body, headers: { "x-request-id": "request-1" } });
    const { events, answer } = await eventually(client, "/v1/events?subject=pets/1", 1);
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
    expect((await list(client, "/v1/events?type=pet.created")).answer.text).toBe(answer.text);
  });

  test("can be narrowed to types and to one subject, whose history they are", async () => {
    await using service = await startService();
    const { client } = service;
    await add(client, 2);
    await client.call("/v1/pets/1", { method: "PATCH", body: { name: "Rexy" } });
    await client.call("/v1/store/orders", { body: { petId: 2 } });
    await client.call("/v1/pets/1", { method: "DELETE" });
    await eventually(client, "/v1/events", 6);
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
  ])("400 for %s", async (query, message) => {
    await using service = await startService();
    const { status, json } = await service.client.call(`/v1/events?${query}`);
    expect(status).toBe(400);
    expect((json as { message: string }).message).toMatch(message);
  });

  test("from the latest on, nothing of before is there", async () => {
    await using service = await startService();
    const { client } = service;
    await add(client, 2);
    await eventually(client, "/v1/events", 2);
    const latest = await list(client, "/v1/events?cursor=latest");
    expect(latest.events).toEqual([]);
    await add(client, 1);
    expect(subjects(await eventually(client, latest.next, 1))).toEqual(["pets/3"]);
  });

  test("begin with the newest if they are to, and end with the oldest", async () => {
    await using service = await startService();
    const { client } = service;
    expect((await client.call("/v1/events?sort=-position")).json).toEqual([]);
    await add(client, 5);
    await client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
    const all = await eventually(client, "/v1/events", 6);
    const backwards = async (path: string) => (await pagesBack(client, path)).map((page) => subjects(page));
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
    const [newest] = await pagesBack(client, "/v1/events?sort=-position&limit=1");
    expect(newest?.events).toEqual(all.events.slice(-1));
    expect(subjects(await list(client, "/v1/events?sort=position&limit=2"))).toEqual(["pets/1", "pets/2"]);
    expect((await client.call("/v1/events?sort=-id")).status).toBe(400);
  });

  test("have one place for what was before it and what comes after, without a gap", async () => {
    await using service = await startService();
    const { client } = service;
    await add(client, 3);
    await eventually(client, "/v1/events", 3);
    const { next } = await list(client, "/v1/events?cursor=latest");
    await add(client, 2);
    expect(subjects(await eventually(client, next, 2))).toEqual(["pets/4", "pets/5"]);
    const before = await pagesBack(client, `${next}&sort=-position&limit=2`);
    expect(before.map((page) => subjects(page))).toEqual([["pets/3", "pets/2"], ["pets/1"]]);
    const place = new URL(before[0]?.next ?? "", "http://any").searchParams.get("cursor");
    expect(subjects(await list(client, `/v1/events?cursor=${place}`))).toEqual([
      "pets/2",
      "pets/3",
      "pets/4",
      "pets/5",
    ]);
    const newest = await client.call("/v1/events?sort=-position&cursor=latest&limit=1");
    expect((newest.json as { subject: string }[]).map(({ subject }) => subject)).toEqual(["pets/5"]);
  });

  test("that are older than kept are not there for who reads back, and 409 for a cursor of another history", async () => {
    let now = Date.now();
    await using service = await startService({ clock: () => now });
    const { client } = service;
    const empty = await list(client, "/v1/events?cursor=latest");
    await add(client, 3);
    await eventually(client, "/v1/events", 3);
    const [page] = await pagesBack(client, "/v1/events?sort=-position&limit=1", 1);
    now += 31 * 24 * 60 * 60 * 1000;
    await add(client, 1);
    await eventually(client, "/v1/events?subject=pets/4", 1);
    await service.service.tidy();
    for (const old of [page?.next ?? "", `${empty.next}&sort=-position`]) {
      const { status, json, headers } = await client.call(old);
      expect([status, json, headers.get("link")]).toEqual([200, [], null]);
    }
    await using other = await startService();
    await add(other.client, 6);
    await eventually(other.client, "/v1/events", 6);
    // At the oldest that is kept here, which is the fourth, and after the newest.
    for (const limit of [4, 6]) {
      const elsewhere = await list(other.client, `/v1/events?limit=${limit}`);
      expect((await client.call(`${elsewhere.next}&sort=-position`)).status).toBe(409);
    }
  });

  test("that are read back are neither streamed nor waited for", async () => {
    await using service = await startService();
    const { client } = service;
    const streamed = await client.call("/v1/events?sort=-position", { headers: { accept: "text/event-stream" } });
    expect([streamed.status, (streamed.json as { message: string }).message]).toEqual([
      400,
      "A stream has the order in which things happen: omit sort, or ask for application/json.",
    ]);
    const { status, headers } = await client.call("/v1/events?sort=-position", { headers: { prefer: "wait=30" } });
    expect([status, headers.get("preference-applied")]).toEqual([200, null]);
  });

  test("of keys are shown to admins alone", async () => {
    await using service = await startService();
    const { client, store } = service;
    const reader = await addKey(store, { scope: "write" });
    for (let turn = 0; turn < 5; turn++) {
      await client.call("/v1/keys", { body: { name: "till", scope: "read" } });
    }
    await eventually(client, "/v1/events", 6);
    await add(client, 1);
    const all = await eventually(client, "/v1/events", 7);
    expect(all.events.map(({ type }) => type)).toEqual([...Array(6).fill("key.created"), "pet.created"]);
    for (const limit of [1, 2, 100]) {
      const seen = await list(client, `/v1/events?limit=${limit}`, { key: reader.key });
      expect(subjects(seen)).toEqual(["pets/1"]);
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

  test("that a reader does not see are passed many at a time, and others have their turn meanwhile", async () => {
    await using service = await startService();
    const { client, store } = service;
    await add(client, 1);
    await eventually(client, "/v1/events", 1);
    for (let count = 0; count < 20; count++) await addKey(store);
    await eventually(client, "/v1/events?limit=50", 21);
    await add(client, 1);
    await eventually(client, "/v1/events?limit=50", 22);
    const { log, steps } = noting(store.events);
    const forward = await readEvents(log, { filter: {}, limit: 2, seesAll: false }, undefined);
    expect(forward.events.map(({ subject }) => subject)).toEqual(["pets/1", "pets/2"]);
    await nextTick();
    expect(steps.splice(0)).toEqual(["read", "turn", "read", "turn"]);
    const back = await readEventsBack(log, { filter: {}, limit: 1, seesAll: false }, undefined);
    expect([back.events.map(({ subject }) => subject), back.hasMore]).toEqual([["pets/2"], true]);
    await nextTick();
    expect(steps).toEqual(["read", "turn", "read", "turn"]);
  });

  test("of one animal that are of other types are passed in the same way", async () => {
    await using service = await startService();
    const { client, store } = service;
    await add(client, 1);
    for (let count = 0; count < 20; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
    await store.pets.delete(1, undefined);
    await eventually(client, "/v1/events?limit=50", 22);
    const { log, steps } = noting(store.events);
    const filter: EventFilter = { subject: "pets/1", types: ["pet.created", "pet.deleted"] };
    const typesOf = ({ events }: { events: readonly { type: string }[] }) => events.map(({ type }) => type);
    const forward = await readEvents(log, { filter, limit: 3, seesAll: true }, undefined);
    expect([typesOf(forward), forward.hasMore]).toEqual([["pet.created", "pet.deleted"], false]);
    await nextTick();
    expect(steps.splice(0)).toEqual(["read", "turn", "read", "turn"]);
    const back = await readEventsBack(log, { filter, limit: 3, seesAll: true }, undefined);
    expect([typesOf(back), back.hasMore]).toEqual([["pet.deleted", "pet.created"], false]);
    await nextTick();
    expect(steps).toEqual(["read", "turn", "read", "turn"]);
    const first = await listOnce(client, "/v1/events?subject=pets/1&type=pet.created,pet.deleted&limit=1");
    const second = await listOnce(client, first.next);
    expect([first, second].map(typesOf)).toEqual([["pet.created"], ["pet.deleted"]]);
  });

  test("are passed by one reader at a time, so that others have their turn between any two", async () => {
    await using service = await startService();
    const { client, store } = service;
    for (let count = 0; count < 20; count++) await addKey(store);
    await eventually(client, "/v1/events?limit=50", 20);
    let turn = 0;
    let isCounting = true;
    const count = () => {
      turn++;
      if (isCounting) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    const log: EventStore = {
      ...store.events,
      read(...given) {
        turns.push(turn);
        return store.events.read(...given);
      },
    };
    const request = { filter: {}, limit: 2, seesAll: false };
    const readers = 5;
    await Promise.all(Array.from({ length: readers }, () => readEvents(log, request, undefined)));
    isCounting = false;
    const further = turns.slice(readers);
    expect(further).toHaveLength(readers);
    expect(new Set(further).size).toBe(readers);
  });

  test("are all read once, page by page, however many in a row a reader does not see", async () => {
    await using service = await startService();
    const { client, store } = service;
    const hidden = "h";
    const happenings = "hhvvvhvhhhhvvhvvvvvhhhhhhhvhvh";
    for (const happening of happenings) await (happening === hidden ? addKey(store) : add(client, 1));
    const listed = await eventually(client, "/v1/events?limit=100", happenings.length);
    expect(listed.events.map(({ type }) => (type === "key.created" ? hidden : "v")).join("")).toBe(happenings);
    const seen = subjects(listed).filter((subject) => subject.startsWith("pets/"));
    for (const limit of [1, 2, 3, 4, 5, 100]) {
      const request = { filter: {}, limit, seesAll: false };
      expect([limit, await walk((cursor) => readEvents(store.events, request, cursor))]).toEqual([limit, seen]);
      const back = await walk((cursor) => readEventsBack(store.events, request, cursor));
      expect([limit, back]).toEqual([limit, seen.toReversed()]);
    }
  });

  test.each([
    ["is told so, if it goes on from a cursor", true, "Gone"],
    ["starts over, if it began with the oldest", false, ["pet.deleted"]],
  ])("are removed while a reader passes them, which %s", async (_, hasCursor, expected) => {
    let now = Date.now();
    await using service = await startService({ clock: () => now });
    const { client, store } = service;
    await add(client, 1);
    for (let count = 0; count < 10; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
    await store.pets.delete(1, undefined);
    await eventually(client, "/v1/events?limit=50", 12);
    const { next } = await readEvents(store.events, { filter: {}, limit: 1, seesAll: true }, undefined);
    const request = { filter: { subject: "pets/1", types: ["pet.deleted"] }, limit: 3, seesAll: true } as const;
    let steps = 0;
    const log: EventStore = {
      ...store.events,
      async read(...given) {
        now += 40 * 86_400_000;
        if (++steps === 2) await store.deleteExpired(now);
        return await store.events.read(...given);
      },
    };
    const reading = Promise.resolve(readEvents(log, request, hasCursor ? next : undefined));
    const outcome = await reading.then(
      ({ events }) => events.map(({ type }) => type as string),
      ({ code }) => code as string,
    );
    expect(outcome).toEqual(expected);
    expect(steps).toBeGreaterThan(1);
  });

  test("of what was acknowledged are there for whoever asks then, though another who asked the same is still led past others", async () => {
    await using service = await startService();
    const { client, store } = service;
    await add(client, 1);
    for (let count = 0; count < 5; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
    await eventually(client, "/v1/events", 6);
    const path = "/v1/events?subject=pets/1&type=pet.deleted&sort=-position&limit=1";
    const [isBegun, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const readBackwards = store.events.readBackwards.bind(store.events);
    let steps = 0;
    using _ = spyOn(store.events, "readBackwards").mockImplementation(async (...given) => {
      if (++steps === 2) {
        isBegun.resolve();
        await isHeld.promise;
      }
      return await readBackwards(...given);
    });
    const before = client.call(path);
    await isBegun.promise;
    expect((await client.call("/v1/pets/1", { method: "DELETE" })).status).toBe(204);
    await eventually(client, "/v1/events?type=pet.deleted", 1);
    expect((await client.call(path)).json).toMatchObject([{ type: "pet.deleted" }]);
    isHeld.resolve();
    expect((await before).json).toEqual([]);
  });

  test("are no longer looked for once the client has left", async () => {
    await using service = await startService();
    const { client, store } = service;
    await add(client, 1);
    await eventually(client, "/v1/events", 1);
    const [event] = await store.events.readBackwards({}, undefined, 1);
    let steps = 0;
    // As in a log without an end.
    using _ = spyOn(store.events, "readBackwards").mockImplementation(async (_, __, step) => {
      steps++;
      await pause();
      return Array.from({ length: step }, () => event as LoggedEvent);
    });
    const leaving = new AbortController();
    const path = "/v1/events?subject=pets/1&type=pet.deleted&sort=-position&limit=1";
    const answer = client.open(path, { authorization: `Bearer ${client.key}` }, leaving.signal);
    await until(() => steps > 2);
    leaving.abort();
    expect(await answer.catch(({ name }) => name)).toBe("AbortError");
    await until(async () => {
      const before = steps;
      for (let step = 0; step < 10; step++) await pause();
      return steps === before;
    });
  });

  test("come as CloudEvents to those who ask for them, with their integers exact", async () => {
    await using service = await startService();
    const { client } = service;
    await client.call("/v1/pets", { body, headers: { "x-request-id": "request-1" } });
    await client.call("/v1/pets/1", { method: "PATCH", body: { name: ',"data":{ ,"previous":' } });
    await eventually(client, "/v1/events", 2);
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

  test("410 for a cursor whose events are no longer kept, and 409 for one of another history", async () => {
    let now = Date.now();
    await using service = await startService({ clock: () => now });
    const { client } = service;
    const before = await list(client, "/v1/events");
    await add(client, 2);
    const first = await eventually(client, "/v1/events?limit=1", 1);
    now += 31 * 24 * 60 * 60 * 1000;
    await add(client, 1);
    await eventually(client, "/v1/events?subject=pets/3", 1);
    await service.service.tidy();
    for (const gone of [before.next, first.next]) {
      const { status, headers } = await client.call(gone, { headers: { prefer: "handling=strict" } });
      expect([status, headers.get("preference-applied")]).toEqual([410, "handling=strict"]);
    }
    expect(subjects(await list(client, "/v1/events"))).toEqual(["pets/3"]);
    await using other = await startService();
    await add(other.client, 5);
    await eventually(other.client, "/v1/events", 5);
    const elsewhere = await list(other.client, "/v1/events?limit=3");
    const ahead = await list(other.client, "/v1/events");
    for (const wrong of [elsewhere.next, ahead.next]) {
      const { status, json } = await client.call(wrong);
      expect(status).toBe(409);
      expect((json as { message: string }).message).toMatch(/^This cursor belongs to another history of the store/);
    }
  });
});

describe("a request that waits", () => {
  test("is answered as soon as there is an event", async () => {
    await using service = await startService();
    const { client } = service;
    const { next } = await list(client, "/v1/events?cursor=latest");
    const waiting = client.call(next, { headers: { prefer: "wait=99999999999" } });
    await until(async () => (await readersOf(service)) === 1);
    await add(client, 1);
    const { headers, json } = await waiting;
    expect(headers.get("preference-applied")).toBe("wait=30");
    expect((json as { subject: string }[]).map(({ subject }) => subject)).toEqual(["pets/1"]);
    expect(await readersOf(service)).toBe(0);
  });

  test("waits for what it asks for, and is answered without it in the end", async () => {
    await using service = await startService();
    const { client } = service;
    const waiting = client.call("/v1/events?type=pet.deleted", { headers: { prefer: "handling=strict, wait=1" } });
    await until(async () => (await readersOf(service)) === 1);
    await add(client, 3);
    const { headers, json } = await waiting;
    expect(headers.get("preference-applied")).toBe("handling=strict, wait=1");
    expect(json).toEqual([]);
  });

  test("is answered at once when the service is about to stop", async () => {
    await using service = await startService();
    await list(service.client, "/v1/events");
    const waiting = service.client.call("/v1/events", { headers: { prefer: "wait=30" } });
    await until(async () => (await readersOf(service)) === 1);
    const stopping = service.service.stop(60_000);
    expect((await waiting).json).toEqual([]);
    await stopping;
  });

  test("leaves nobody behind who is told of events, though it is one too many for its key", async () => {
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
    await until(async () => (await readersOf(service)) === 1);
    for (let asked = 0; asked < 3; asked++) {
      const refused = await client.call("/v1/events", { headers: { prefer: "wait=30" } });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      expect(refused.headers.get("preference-applied")).toBeNull();
    }
    expect(watchers.size).toBe(1);
    await add(client, 1);
    expect((await waiting).status).toBe(200);
    expect(watchers.size).toBe(0);
  });

  test("does not begin to wait if its client has left while the log was read", async () => {
    await using service = await startService();
    const { client, store } = service;
    await add(client, 1);
    await eventually(client, "/v1/events", 1);
    const [event] = await store.events.readBackwards({}, undefined, 1);
    let steps = 0;
    // As in a log without an end, which is read until the client has left.
    using _ = spyOn(store.events, "read").mockImplementation(async (_, __, step) => {
      steps++;
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
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${client.key}`, prefer: "wait=30" };
    const answer = client.open("/v1/events?subject=pets/1&type=pet.deleted&limit=1", headers, leaving.signal);
    await until(() => steps > 2);
    leaving.abort();
    expect(await answer.catch(({ name }) => name)).toBe("AbortError");
    await until(() => listeners.length > 0);
    expect(listeners).toEqual([{ isListening: false }]);
  });

  test("gets 401 once its key is revoked", async () => {
    await using service = await startService();
    const { key, id } = await addKey(service.store, { scope: "read" });
    const waiting = service.client.call("/v1/events?cursor=latest", { key, headers: { prefer: "wait=30" } });
    await until(async () => (await readersOf(service)) === 1);
    await service.store.keys.revoke(id, Date.now(), false);
    expect((await waiting).status).toBe(401);
  });

  test("gets 401 also if the log is being read when its key is revoked", async () => {
    await using service = await startService();
    const { events, keys } = service.store;
    const { key, id } = await addKey(service.store, { scope: "read" });
    const [read, find] = [events.read.bind(events), keys.findByHash.bind(keys)];
    const held = Promise.withResolvers<void>();
    events.read = async (...range) => {
      // The one who reads again has begun to wait.
      if ((await readersOf(service)) === 1) await held.promise;
      return await read(...range);
    };
    let isRevocationSeen = false;
    keys.findByHash = async (hash) => {
      const found = await find(hash);
      isRevocationSeen ||= found?.revokedAt != null;
      return found;
    };
    const waiting = service.client.call("/v1/events?type=pet.created", { key, headers: { prefer: "wait=30" } });
    await until(async () => (await readersOf(service)) === 1);
    await keys.revoke(id, Date.now(), false);
    await until(() => isRevocationSeen);
    held.resolve();
    expect((await waiting).status).toBe(401);
  });
});

describe("a stream of events", () => {
  test("has what was and what comes, and resumes after the last that was seen", async () => {
    await using service = await startService();
    const { client } = service;
    await add(client, 2);
    const stream = await openStream(client);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    // Or nginx would hold events back.
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
    await until(async () => (await readersOf(service)) === 0);
  });

  test("has no more than was asked for, and nothing of keys without the scope admin", async () => {
    await using service = await startService();
    const { client, store } = service;
    const { key } = await addKey(store, { scope: "read" });
    const all = await openStream(client, "/v1/events", { key });
    const some = await openStream(client, "/v1/events?subject=pets/2", { key });
    const [everything, ofTwo] = [all.messages(), some.messages()];
    await client.call("/v1/keys", { body: { name: "till", scope: "read" } });
    await eventually(client, "/v1/events", 2);
    await add(client, 2);
    await client.call("/v1/pets/2", { method: "DELETE" });
    for (const subject of ["pets/1", "pets/2", "pets/2"]) {
      expect((await next(everything)).data.subject).toBe(subject);
    }
    for (const event of ["pet.created", "pet.deleted"]) expect((await next(ofTwo)).event).toBe(event);
    for (const stream of [all, some]) stream.close();
  });

  test("tells what is wrong by a status before it begins", async () => {
    await using service = await startService();
    const { client } = service;
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

  test("ends when its key is revoked", async () => {
    await using service = await startService();
    const { client, store } = service;
    const { key, id } = await addKey(store, { scope: "read" });
    const { messages } = await openStream(client, "/v1/events?cursor=latest", { key });
    await store.keys.revoke(id, Date.now(), false);
    for await (const message of messages()) throw new Error(`It had ${message.event}.`);
    expect((await openStream(client, "/v1/events", { key })).status).toBe(401);
  });

  test("ends when the service is about to stop, and says when to come back", async () => {
    await using service = await startService();
    const stream = await openStream(service.client, "/v1/events?cursor=latest");
    const stopping = service.service.stop(60_000);
    for await (const message of stream.messages()) throw new Error(`It had ${message.event}.`);
    expect(stream.asides.at(-1)).toMatch(/^retry: [0-9]+$/);
    await stopping;
  });

  test("is one of so many that a key may have", async () => {
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
    // The other is still there.
    expect((await open()).status).toBe(429);
    const stopping = service.service.stop(60_000);
    for await (const message of other.messages()) throw new Error(`It had ${message.event}.`);
    expect(other.asides.at(-1)).toMatch(/^retry: [0-9]+$/);
    await stopping;
  });
});

interface Listed {
  readonly events: readonly { readonly [field: string]: unknown; readonly type: string; readonly subject: string }[];
  readonly next: string;
  readonly answer: Answer;
}

async function list(client: Client, path: string, options = {}): Promise<Listed> {
  const listed = await listOnce(client, path, options);
  expect(listed.next).toStartWith("/v1/events?");
  return listed;
}

/** As far as the links lead, or so many pages. */
async function pagesBack(client: Client, path: string, most = 10): Promise<Listed[]> {
  const pages: Listed[] = [];
  for (let next = path; next !== "" && pages.length < most; next = pages.at(-1)?.next ?? "") {
    pages.push(await listOnce(client, next));
  }
  return pages;
}

async function listOnce(client: Client, path: string, options = {}): Promise<Listed> {
  const answer = await client.call(path, options);
  expect(answer.status).toBe(200);
  const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "") ?? [];
  return { events: parseJson(answer.text) as Listed["events"], next, answer };
}

/**
 * The list, once it has so many events: on PostgreSQL they come a moment after the write. An animal that is added in that moment
 * may need a second try there, and then has the second id.
 */
async function eventually(client: Client, path: string, count: number): Promise<Listed> {
  for (;;) {
    const listed = await list(client, path);
    if (listed.events.length >= count) return listed;
    await pause();
  }
}

/** The log, and the steps in which it is read: each reading, and each turn of the event loop after one. */
function noting(events: EventStore): { log: EventStore; steps: string[] } {
  const steps: string[] = [];
  const noted = <Result>(result: Result) => {
    steps.push("read");
    setImmediate(() => steps.push("turn"));
    return result;
  };
  const log: EventStore = {
    ...events,
    read: (...given) => noted(events.read(...given)),
    readBackwards: (...given) => noted(events.readBackwards(...given)),
  };
  return { log, steps };
}

/** The subjects of all pages, until the last. */
async function walk(read: (cursor: EventCursor | undefined) => Awaitable<EventBatch>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: EventCursor | undefined; ; ) {
    const { events, next, hasMore } = await read(cursor);
    found.push(...events.map(({ subject }) => subject));
    if (!hasMore) return found;
    cursor = next;
  }
}

function subjects({ events }: Listed): string[] {
  return events.map(({ subject }) => subject);
}

async function add(client: Client, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) expect((await client.call("/v1/pets", { body })).status).toBe(201);
}

async function next(messages: AsyncGenerator<Message>): Promise<Message> {
  const { value } = await messages.next();
  return value as Message;
}

async function readersOf({ metrics }: Pick<TestService, "metrics">): Promise<number> {
  return Number(/event_readers ([0-9]+)$/m.exec(await metrics.text())?.[1]);
}
